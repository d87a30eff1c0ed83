#include "io/write_all.h"

#include <unistd.h>

#include <cerrno>

namespace bigdna::io {

int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : EIO;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

int read_all(int fd, std::span<char> bytes, off_t offset) {
  while (!bytes.empty()) {
    const ssize_t got = pread(fd, bytes.data(), bytes.size(), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got < 0 ? errno : EIO;
    bytes = bytes.subspan(static_cast<size_t>(got));
    offset += got;
  }
  return 0;
}

}  // namespace bigdna::io
