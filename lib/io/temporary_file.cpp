#include "io/temporary_file.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace bigdna::io {

namespace {
/// What a signal handler may read: names, of a fixed number of files. More than these are only removed at destruction.
std::array<std::atomic<const char*>, 1024> registered{};

void remove_and_die(int signal) {
  for (const auto& name : registered)
    if (const char* path = name.load()) unlink(path);
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

TemporaryFile::TemporaryFile(std::string path) { take(std::move(path)); }
TemporaryFile::~TemporaryFile() {
  if (empty()) return;
  unlink(path_.c_str());
  keep();
}

void TemporaryFile::take(std::string path) {
  path_ = std::move(path);
  catch_signals();
  const char* name = strdup(path_.c_str());  // (never freed: a handler may be reading it)
  for (auto& slot : registered) {
    const char* none = nullptr;
    if (slot.compare_exchange_strong(none, name)) return;
  }
}

void TemporaryFile::keep() {
  for (auto& slot : registered)
    if (const char* name = slot.load(); name && path_ == name) slot = nullptr;
  path_.clear();
}

}  // namespace bigdna::io
