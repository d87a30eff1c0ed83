/// Paths of what is read. They may lead into a tar, which stands for the folder that was packed: "model.tar" is a
/// folder, "model.tar/config.json" a file in it. Folders that bigdna makes are read through these functions alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace bigdna::io {

/// Whether there is such a file or folder, on disk or in a tar. Error if the tar is damaged or compressed (io/tar.h).
bool exists(const std::string& path);
bool is_file(const std::string& path);
bool is_folder(const std::string& path);
/// The tar that the path leads into; the path itself if it leads into none.
std::string on_disk(const std::string& path);

/// Where the bytes of a file are.
struct Extent {
  std::string file;  // on disk
  uint64_t offset = 0, bytes = 0;
};
/// Error naming the path: no such file, a folder, a link in a tar.
Extent extent_of(const std::string& path);
/// The bytes from the file's start, which need not be a regular file unless it is in a tar.
class Bytes {
 public:
  explicit Bytes(const std::string& path);
  ~Bytes();
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  /// At most `size` bytes; 0 at the end.
  size_t read(char* to, size_t size);

 private:
  std::string path_;
  int fd_ = -1;
  uint64_t left_ = UINT64_MAX;
};

/// A name by which libraries can open the file: the path itself or, for a file in a tar, that of a copy in memory,
/// which is kept until the process ends.
std::string openable(const std::string& path);

}  // namespace bigdna::io
