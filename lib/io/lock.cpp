#include "io/lock.h"

#include <sys/file.h>

#include <cerrno>

#include "base/error.h"

namespace bigdna::io {

void lock(int file, const std::string& path) {
  if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) fail(path, ": another process is writing to it");
}

}  // namespace bigdna::io
