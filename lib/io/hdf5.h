/// HDF5 files, and handles that close themselves. Every failure is an Error naming the file; the library's own messages
/// are turned off.
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

#include "io/output.h"

namespace bigdna::io {

/// A hid_t and the function that closes it.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, Close close) : id_(id), close_(close) {}
  ~Hdf5Handle() { reset(); }
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  operator hid_t() const { return id_; }
  /// Closes it now; returns the close function's result (negative: failed).
  herr_t reset() { return id_ >= 0 ? close_(std::exchange(id_, -1)) : 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

class Hdf5File {
 public:
  /// Whether `path` is an HDF5 file, possibly behind MATLAB's header.
  static bool recognises(const std::string& path);
  static Hdf5File open(const std::string& path);     // to read, after a trial by a child process (hdf5_trial.h)
  static Hdf5File create(const AtomicFile& target);  // the caller commits `target` after close()
  operator hid_t() const { return file_; }
  const std::string& path() const { return path_; }
  /// Error naming file and dataset if it is missing.
  Hdf5Handle dataset(const std::string& name) const;
  /// Flushes and closes; Error if that fails.
  void close();

 private:
  Hdf5File(std::string path, hid_t file) : path_(std::move(path)), file_(file, H5Fclose) {}
  std::string path_;
  Hdf5Handle file_;
};

}  // namespace bigdna::io
