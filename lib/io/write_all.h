/// Loops around write(2) and pread(2), which may transfer only a part of the bytes, or be interrupted by a signal.
#pragma once

#include <sys/types.h>

#include <span>
#include <string_view>

namespace bigdna::io {

/// Writes all bytes. Returns 0, or the errno of the failure (EIO if write(2) takes nothing and reports no error).
int write_all(int fd, std::string_view bytes);
template <class T>
int write_all(int fd, std::span<const T> values) {
  return write_all(fd, std::string_view(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
}

/// Fills `bytes` from byte `offset` of the file on. Returns 0, or the errno of the failure (EIO if the file ends
/// earlier).
int read_all(int fd, std::span<char> bytes, off_t offset);

}  // namespace bigdna::io
