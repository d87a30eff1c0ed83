#include "io/temporary_file.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace bigdna::io {

namespace fs = std::filesystem;

namespace {
/// The table that the signal handler may read. Further files, and longer names, are not in it.
struct Slot {
  std::atomic<bool> taken = false, readable = false;
  char path[PATH_MAX];
};
std::array<Slot, 1024> slots;

void remove_and_die(int signal) {
  remove_temporary_files();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void catch_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) std::signal(signal, remove_and_die);
  }
}
}  // namespace

std::string temporary_name(const std::string& target) { return concat(target, ".", getpid(), ".partial"); }

void remove_abandoned(const std::vector<std::string>& targets) {
  std::map<fs::path, std::set<std::string>> by_folder;
  for (const std::string& target : targets) {
    const fs::path path(target);
    by_folder[path.has_parent_path() ? path.parent_path() : fs::path(".")].insert(path.filename().string());
  }
  std::error_code ignored;
  for (const auto& [folder, names] : by_folder)
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      const fs::path partial = entry.path().filename(), with_process = partial.stem();
      const std::string process = with_process.extension().string();  // ".PID"
      if (partial.extension() != ".partial" || process.size() < 2 || !names.contains(with_process.stem().string()))
        continue;
      pid_t number = 0;
      const char* const last = process.data() + process.size();
      const auto [end, error] = std::from_chars(process.data() + 1, last, number);
      if (error == std::errc() && end == last && number > 0 && kill(number, 0) != 0 && errno == ESRCH)
        fs::remove(entry.path(), ignored);
    }
}

void remove_temporary_files() {
  for (const Slot& slot : slots)
    if (slot.readable) unlink(slot.path);
}

TemporaryFile::~TemporaryFile() {
  if (empty()) return;
  unlink(path_.c_str());
  keep();
}

int TemporaryFile::create(const std::string& target) {
  std::string name = temporary_name(target);
  unlink(name.c_str());
  fd_ = open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd_ >= 0) take(std::move(name));
  return fd_;
}

int TemporaryFile::rename(const std::string& target) {
  struct stat written {
  }, named{};
  if (fstat(fd_, &written) != 0 || lstat(path_.c_str(), &named) != 0) return errno;
  if (written.st_dev != named.st_dev || written.st_ino != named.st_ino) return ESTALE;
  if (close(std::exchange(fd_, -1)) != 0 || std::rename(path_.c_str(), target.c_str()) != 0) return errno;
  keep();
  return 0;
}

void TemporaryFile::take(std::string path) {
  path_ = std::move(path);
  catch_signals();
  if (path_.size() >= PATH_MAX) return;
  const auto free = std::find_if(slots.begin(), slots.end(), [](Slot& slot) { return !slot.taken.exchange(true); });
  if (free == slots.end()) return;
  slot_ = static_cast<int>(free - slots.begin());
  std::copy_n(path_.c_str(), path_.size() + 1, free->path);
  free->readable = true;
}

void TemporaryFile::keep() {
  path_.clear();
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
  if (slot_ < 0) return;
  slots[static_cast<size_t>(slot_)].readable = false;
  slots[static_cast<size_t>(slot_)].taken = false;
  slot_ = -1;
}

}  // namespace bigdna::io
