/// The bytes of a part of a file, to be read only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace bigdna::io {

/// Mapped or, where the file system has no mappings, read into memory. The file may be closed afterwards.
class MappedFile {
 public:
  /// `path` is for messages.
  MappedFile(int fd, uint64_t offset, uint64_t bytes, const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  void read(int fd, uint64_t offset, const std::string& path);

  void* pages_;
  size_t mapped_;
  std::span<const std::byte> bytes_;
};

}  // namespace bigdna::io
