#include "io/paths.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/error.h"
#include "io/tar.h"
#include "io/write_all.h"

namespace bigdna::io {

namespace {
/// What a path inside an archive leads to.
struct Inside {
  std::string archive, member;  // "" for the archive's root
  std::shared_ptr<const TarIndex> index;
};

/// The archive's members; read again if the file has been replaced.
std::shared_ptr<const TarIndex> index_of(const std::string& archive) {
  struct Known {
    std::array<int64_t, 5> version;  // which file it was
    std::shared_ptr<const TarIndex> index;
  };
  static std::mutex mutex;
  static std::map<std::string, Known> known;
  struct stat info {};
  if (stat(archive.c_str(), &info) != 0) fail(archive, ": ", errno_text(errno));
  const std::array<int64_t, 5> version{static_cast<int64_t>(info.st_dev), static_cast<int64_t>(info.st_ino),
                                       info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
  const std::lock_guard lock(mutex);
  auto found = known.find(archive);
  if (found == known.end() || found->second.version != version)
    found = known.insert_or_assign(archive, Known{version, std::make_shared<TarIndex>(archive)}).first;
  return found->second.index;
}

std::optional<Inside> inside(const std::string& path) {
  struct stat info {};
  for (std::string archive = path; !archive.empty();
       archive.resize(archive.find_last_not_of('/', archive.rfind('/')) + 1)) {
    if (stat(archive.c_str(), &info) == 0) {
      if (!looks_like_tar(archive)) return std::nullopt;
      const auto rest = path.substr(std::min(path.size(), archive.size() + 1));
      return Inside{archive, member_name(rest.substr(std::min(rest.size(), rest.find_first_not_of('/'))), archive),
                    index_of(archive)};
    }
    if (errno != ENOTDIR || archive.find('/') == archive.npos) return std::nullopt;
  }
  return std::nullopt;
}

struct Descriptor {
  int fd;
  explicit Descriptor(int of) : fd(of) {}
  ~Descriptor() {
    if (fd >= 0) close(fd);
  }
};
}  // namespace

bool exists(const std::string& path) { return is_file(path) || is_folder(path); }

bool is_file(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) == 0) return S_ISREG(info.st_mode);
  const auto in = inside(path);
  return in && in->index->find(in->member);
}

bool is_folder(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) return S_ISDIR(info.st_mode);
  const auto in = inside(path);
  return in && in->index->is_folder(in->member);
}

std::string on_disk(const std::string& path) {
  const auto in = inside(path);
  return in ? in->archive : path;
}

Extent extent_of(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) == 0) {
    if (!S_ISREG(info.st_mode)) fail(path, ": is ", S_ISDIR(info.st_mode) ? "a folder" : "not a regular file");
    return {path, 0, static_cast<uint64_t>(info.st_size)};
  }
  const int cause = errno;
  const auto in = inside(path);
  if (!in) fail(path, ": ", errno_text(cause));
  const auto* const member = in->index->find(in->member);
  if (!member) fail(path, ": ", in->index->is_folder(in->member) ? "is a folder" : errno_text(ENOENT));
  if (!member->is_file)
    fail(path, ": is a link or a device, which is not followed in a tar (tar --dereference packs the file itself)");
  return {in->archive, member->offset, member->bytes};
}

Bytes::Bytes(const std::string& path) : path_(path) {
  Extent extent{path, 0, UINT64_MAX};
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 && errno == ENOTDIR) extent = extent_of(path);
  left_ = extent.bytes;
  fd_ = open(extent.file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) fail(path, ": ", errno_text(errno));
  if (extent.offset > 0 && lseek(fd_, static_cast<off_t>(extent.offset), SEEK_SET) < 0)
    fail(path, ": ", errno_text(errno));
}

Bytes::~Bytes() {
  if (fd_ >= 0) close(fd_);
}

size_t Bytes::read(char* to, size_t size) {
  ssize_t got;
  do got = ::read(fd_, to, static_cast<size_t>(std::min<uint64_t>(size, left_)));
  while (got < 0 && errno == EINTR);
  if (got < 0) fail(path_, ": ", errno_text(errno));
  if (left_ != UINT64_MAX) {
    if (got == 0 && size > 0 && left_ > 0) fail(path_, ": truncated");
    left_ -= static_cast<uint64_t>(got);
  }
  return static_cast<size_t>(got);
}

std::string openable(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) == 0 || errno != ENOTDIR || !is_file(path)) return path;
  static std::mutex mutex;
  static std::map<std::string, int> copies;  // descriptors, by where the bytes lie
  const Extent extent = extent_of(path);
  const std::string key = concat(extent.file, '\n', extent.offset, '\n', extent.bytes);
  const std::lock_guard lock(mutex);
  if (!copies.contains(key)) {
    Descriptor copy(memfd_create(path.substr(path.rfind('/') + 1, 200).c_str(), MFD_CLOEXEC));
    if (copy.fd < 0) fail(path, ": cannot be copied into memory: ", errno_text(errno));
    Bytes bytes(path);
    std::vector<char> buffer(1 << 20);
    while (const size_t got = bytes.read(buffer.data(), buffer.size()))
      if (const int cause = write_all(copy.fd, std::string_view(buffer.data(), got)))
        fail(path, ": cannot be copied into memory: ", errno_text(cause));
    copies[key] = std::exchange(copy.fd, -1);
  }
  return concat("/proc/self/fd/", copies[key]);
}

}  // namespace bigdna::io
