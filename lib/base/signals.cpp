#include "base/signals.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "base/log.h"

namespace bigdna {

namespace {
constexpr std::sig_atomic_t kSameRequest = 3;  // seconds
volatile std::sig_atomic_t requested = 0, requested_at = 0;
void (*clean_up_at_end)() = nullptr;

void end(int signal) {
  if (signal == SIGXCPU) log::last_words("stopped by the limit of CPU time (ulimit -t)");
  if (clean_up_at_end) clean_up_at_end();
  end_by(signal);
}

void remember(int signal) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const auto seconds = static_cast<std::sig_atomic_t>(now.tv_sec);
  if (requested == signal) {
    if (signal == SIGXCPU) return;  // the kernel repeats it every second
    if (seconds - requested_at < kSameRequest) return;
    end(signal);  // asked again: the user will not wait
  }
  requested = signal;
  requested_at = seconds;
}

void handle_all_by(void (*handler)(int)) {
  for (const StopSignal& signal : kStopSignals) {
    struct sigaction action {};
    if (sigaction(signal.number, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
      std::signal(signal.number, handler);
  }
}
}  // namespace

const char* name_of_signal(int number) { return std::ranges::find(kStopSignals, number, &StopSignal::number)->name; }

void end_at_stop_signals(void (*clean_up)()) {
  clean_up_at_end = clean_up;
  handle_all_by(end);
}

void end_by(int signal) {
  std::signal(signal, SIG_DFL);
  sigset_t alone;  // a handler is entered with its own signal blocked
  sigemptyset(&alone);
  sigaddset(&alone, signal);
  pthread_sigmask(SIG_UNBLOCK, &alone, nullptr);
  std::raise(signal);
  _exit(128 + signal);
}

StopRequests::StopRequests() {
  requested = 0;
  handle_all_by(remember);
}

StopRequests::~StopRequests() { handle_all_by(end); }

int StopRequests::signal() { return requested; }

}  // namespace bigdna
