#include "io/temporary_file.h"

#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>

#include "base/error.h"

namespace bigdna::io {

namespace {
/// The table that the signal handler may read. Further files, and longer names, are not in it.
struct Slot {
  std::atomic<bool> taken = false, readable = false;
  char path[PATH_MAX];
};
std::array<Slot, 1024> slots;

void remove_and_die(int signal) {
  for (const Slot& slot : slots)
    if (slot.readable) unlink(slot.path);
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

TemporaryFile::~TemporaryFile() {
  if (empty()) return;
  unlink(path_.c_str());
  keep();
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
  if (slot_ < 0) return;
  slots[static_cast<size_t>(slot_)].readable = false;
  slots[static_cast<size_t>(slot_)].taken = false;
  slot_ = -1;
}

}  // namespace bigdna::io
