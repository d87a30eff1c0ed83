/// Files compressed with xz, inflated as a stream by liblzma.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

struct hFILE;  // htslib's

namespace bigdna::io {

class XzReader {
 public:
  /// Whether the file begins with xz's magic bytes. Reads nothing away.
  static bool is_xz(hFILE* file);
  /// Takes the file. `path` is for messages.
  XzReader(hFILE* file, std::string path);
  ~XzReader();
  /// Up to `size` bytes (size > 0); 0 at the end. Several streams one after the other are one text, as for xz. Error naming
  /// the file where it is damaged, truncated, or cannot be read.
  size_t read(char* to, size_t size);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bigdna::io
