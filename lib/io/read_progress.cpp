#include "io/read_progress.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "io/lines.h"
#include "io/paths.h"

namespace bigdna::io {

namespace fs = std::filesystem;

namespace {
uint64_t bytes_of(const std::string& path) {
  std::error_code error;
  if (reads_once(path) || !fs::is_regular_file(path, error)) return 0;
  const auto bytes = fs::file_size(path, error);
  return error ? 0 : bytes;
}

/// 0 if the length of one is unknown.
uint64_t bytes_of_all(const std::vector<std::string>& paths) {
  uint64_t total = 0;
  for (const auto& path : paths) {
    const auto bytes = bytes_of(path);
    if (bytes == 0) return 0;
    total += bytes;
  }
  return total;
}

constexpr const char* kDescriptors = "/proc/self/fd";

bool is_open_as(int fd, const std::string& path) {
  std::error_code error;
  return fs::read_symlink(concat(kDescriptors, "/", fd), error) == path;
}

int descriptor_of_open(const std::string& path) {
  std::error_code error;
  for (auto entry = fs::directory_iterator(kDescriptors, error); entry != fs::end(entry); entry.increment(error))
    if (const int fd = std::atoi(entry->path().filename().c_str()); is_open_as(fd, path)) return fd;
  return -1;
}
}  // namespace

ReadProgress::ReadProgress(std::string label, const std::vector<std::string>& paths)
    : progress_(
          std::make_shared<log::Progress>(std::move(label), bytes_of_all(paths), bytes_of_all(paths) ? "B" : "")) {}

ReadProgress::File::File(ReadProgress& progress, const std::string& path)
    : progress_(progress.progress_), bytes_(bytes_of(path)) {
  std::error_code error;
  path_ = fs::canonical(path, error);
}

ReadProgress::File::~File() { advance(bytes_); }

void ReadProgress::File::look() {
  constexpr std::chrono::milliseconds kOften{100};
  const auto now = std::chrono::steady_clock::now();
  if (bytes_ == 0 || now - looked_ < kOften) return;
  looked_ = now;
  if (fd_ < 0 || !is_open_as(fd_, path_)) fd_ = descriptor_of_open(path_);
  std::string name;
  uint64_t position = 0;
  if (fd_ >= 0 && std::ifstream(concat("/proc/self/fdinfo/", fd_)) >> name >> position && name == "pos:")
    advance(std::min(position, bytes_));
}

void ReadProgress::File::advance(uint64_t to) {
  if (to <= done_) return;
  progress_->add(to - done_);
  done_ = to;
}

}  // namespace bigdna::io
