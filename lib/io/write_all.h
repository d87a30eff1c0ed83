/// The loops around write(2) and pread(2), which may do part of what is asked for, or be interrupted by a signal.
#pragma once

#include <sys/types.h>

#include <span>
#include <string_view>

namespace bigdna::io {

/// Writes all of it. Returns 0, or the errno of the failure (EIO where the system takes nothing and says nothing).
int write_all(int fd, std::string_view bytes);
template <class T>
int write_all(int fd, std::span<const T> values) {
  return write_all(fd, std::string_view(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
}

/// Fills `bytes` from the file's byte `offset` on. Returns 0, or the errno of the failure (EIO where the file ends before).
int read_all(int fd, std::span<char> bytes, off_t offset);

}  // namespace bigdna::io
