#include "base/signals.h"

#include <csignal>

namespace bigdna {

namespace {
volatile std::sig_atomic_t requested = 0;

void remember(int signal) {
  if (requested == signal) {  // asked twice: the user will not wait
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  requested = signal;
}
}  // namespace

void catch_stop_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) std::signal(signal, remember);
}

int stop_signal() { return requested; }

}  // namespace bigdna
