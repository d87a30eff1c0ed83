/// Locks, so that two processes do not write to the same place.
#pragma once

#include <string>

namespace bigdna::io {

/// Locks an open file or folder until it is closed. Error naming `path` if another process holds the lock; a no-op
/// where flock() is unsupported.
void lock(int file, const std::string& path);

}  // namespace bigdna::io
