#include "base/signals.h"

#include <time.h>

#include <csignal>

namespace bigdna {

namespace {
constexpr std::sig_atomic_t kSameRequest = 3;  // seconds
volatile std::sig_atomic_t requested = 0, requested_at = 0;

void remember(int signal) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const auto seconds = static_cast<std::sig_atomic_t>(now.tv_sec);
  if (requested == signal) {
    if (signal == SIGXCPU) return;  // the kernel repeats it every second
    if (seconds - requested_at < kSameRequest) return;
    std::signal(signal, SIG_DFL);  // asked again: the user will not wait
    std::raise(signal);
  }
  requested = signal;
  requested_at = seconds;
}
}  // namespace

void catch_stop_signals() {
  for (const int signal : kStopSignals) std::signal(signal, remember);
}

int stop_signal() { return requested; }

}  // namespace bigdna
