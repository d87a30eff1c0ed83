#include "io/bgzf.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "io/paths.h"
#include "io/write_all.h"

namespace bigdna::io {

std::optional<int64_t> bgzf_block(int fd, int64_t offset) {
  // RFC 1952's header with one extra field, "BC", which holds the block's size minus one (SAM specification, 4.1)
  std::array<char, 18> header{};
  if (read_all(fd, header, offset) != 0 || std::memcmp(header.data(), "\x1f\x8b\x08\x04", 4) != 0 ||
      std::memcmp(&header[12], "BC\x02\x00", 4) != 0)
    return std::nullopt;
  const auto byte = [&](size_t at) { return static_cast<int64_t>(static_cast<uint8_t>(header[at])); };
  const int64_t bytes = (byte(16) | byte(17) << 8) + 1;
  return bytes < 26 ? std::nullopt : std::optional(bytes);
}

void require_bgzf(const std::string& path) {
  const auto size = static_cast<int64_t>(extent_of(path).bytes);
  const int fd = open(openable(path).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail(path, ": ", errno_text(errno));
  int64_t at = 0;
  while (at < size) {
    const auto bytes = bgzf_block(fd, at);
    if (!bytes) break;
    at += *bytes;
  }
  close(fd);
  if (at > size) fail(path, ": truncated: its last block goes on past the end of the file");
  if (at < size)
    fail(path, ": is BGZF only up to byte ", at,
         " (plain gzip put behind it?), and random access needs BGZF: ", "gunzip -c ", path, " | bgzip > FILE.gz");
}

}  // namespace bigdna::io
