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
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
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

/// FILE of a temporary name: two names that are cut stay different.
std::string cut(const std::string& name) {
  constexpr size_t kSuffix = 19, kKept = 200;  // ".PID.partial" with a PID of ten digits
  return name.size() + kSuffix <= NAME_MAX ? name : concat(name.substr(0, kKept), std::hash<std::string>{}(name));
}

double seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Whether a process may be writing a file: it has not ended, and began before the file was last written. A process
/// that began later has the number of one that has ended.
bool may_write(pid_t process, const std::string& file) {
  if (kill(process, 0) != 0 && errno == ESRCH) return false;
  std::ifstream input(concat("/proc/", process, "/stat"));
  std::string line, state, field;
  std::getline(input, line);
  std::istringstream fields(line.substr(line.rfind(')') + 1));  // the program's name, which precedes, may hold anything
  fields >> state;
  if (state == "Z" || state == "X") return false;  // nobody has asked yet how it ended
  for (int skipped = 4; skipped < 22; ++skipped) fields >> field;
  double start = 0;  // ticks since the machine began
  struct stat written {};
  timespec now{}, since_boot{};
  if (!(fields >> start) || stat(file.c_str(), &written) != 0 || clock_gettime(CLOCK_REALTIME, &now) != 0 ||
      clock_gettime(CLOCK_BOOTTIME, &since_boot) != 0)
    return true;
  const double age = seconds(since_boot) - start / static_cast<double>(sysconf(_SC_CLK_TCK));
  return age + 1 >= seconds(now) - seconds(written.st_mtim);
}
}  // namespace

std::string behind_links(const std::string& path) {
  constexpr int kMost = 40;  // as in the kernel
  fs::path target = path;
  std::error_code error;
  for (int links = 0; fs::is_symlink(target, error); ++links) {
    if (links == kMost) fail(path, ": ", errno_text(ELOOP));
    target = target.parent_path() / fs::read_symlink(target);
  }
  return target.string();
}

std::string temporary_name(const std::string& target) {
  const fs::path path(target);
  return concat((path.parent_path() / cut(path.filename().string())).string(), ".", getpid(), ".partial");
}

bool is_temporary_name(const std::string& path) {
  const std::string process = fs::path(path).stem().extension().string();
  return fs::path(path).extension() == ".partial" && process.size() > 1 &&
         process.find_first_not_of("0123456789", 1) == std::string::npos;
}

void remove_abandoned(const std::vector<std::string>& outputs) {
  std::map<fs::path, std::set<std::string>> by_folder;
  for (const std::string& output : outputs) {
    const fs::path path(behind_links(output));
    by_folder[path.has_parent_path() ? path.parent_path() : fs::path(".")].insert(cut(path.filename().string()));
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
      if (error == std::errc() && end == last && number > 0 && !may_write(number, entry.path().string()))
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
  struct stat replaced {};
  const bool replaces = stat(target.c_str(), &replaced) == 0 && S_ISREG(replaced.st_mode);
  std::string name = temporary_name(target);
  unlink(name.c_str());
  fd_ = open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, replaces ? 0600 : 0666);
  if (fd_ < 0) return fd_;
  if (replaces) {
    mode_ = replaced.st_mode & 0777;
    if (fchown(fd_, replaced.st_uid, replaced.st_gid) != 0 && fchown(fd_, static_cast<uid_t>(-1), replaced.st_gid) != 0)
      *mode_ &= ~static_cast<mode_t>(S_IRWXG);  // which would be another group's
    fchmod(fd_, *mode_ | S_IRUSR | S_IWUSR);    // a library opens the file by its name
  }
  take(std::move(name));
  return fd_;
}

int TemporaryFile::rename(const std::string& target) {
  struct stat written {
  }, named{};
  if (fstat(fd_, &written) != 0 || lstat(path_.c_str(), &named) != 0) return errno;
  if (written.st_dev != named.st_dev || written.st_ino != named.st_ino) return ESTALE;
  if (mode_) fchmod(fd_, *mode_);
  if (close(std::exchange(fd_, -1)) != 0 || std::rename(path_.c_str(), target.c_str()) != 0) return errno;
  keep();
  return 0;
}

void TemporaryFile::take(std::string path) {
  path_ = std::move(path);
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
