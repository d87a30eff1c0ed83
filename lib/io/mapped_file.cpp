#include "io/mapped_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"

namespace bigdna::io {

MappedFile::MappedFile(int fd, uint64_t offset, uint64_t bytes, const std::string& path) {
  const uint64_t before = offset % static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  mapped_ = before + bytes;
  // private, although nothing is written: FUSE with direct_io, virtiofs and 9p have no shared mappings
  pages_ = mmap(nullptr, mapped_, PROT_READ, MAP_PRIVATE, fd, static_cast<off_t>(offset - before));
  const bool read_instead = pages_ == MAP_FAILED && errno == ENODEV;
  if (read_instead) pages_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages_ == MAP_FAILED) fail(path, ": ", errno_text(errno));
  bytes_ = {static_cast<const std::byte*>(pages_) + before, bytes};
  if (read_instead) try {
      read(fd, offset, path);
    } catch (...) {
      munmap(pages_, mapped_);
      throw;
    }
}

MappedFile::~MappedFile() { munmap(pages_, mapped_); }

void MappedFile::read(int fd, uint64_t offset, const std::string& path) {
  auto* const to = const_cast<std::byte*>(bytes_.data());
  for (size_t done = 0; done < bytes_.size();) {
    const ssize_t got = pread(fd, to + done, bytes_.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, ": ", errno_text(errno));
    if (got == 0) fail(path, ": truncated");
    done += static_cast<size_t>(got);
  }
}

}  // namespace bigdna::io
