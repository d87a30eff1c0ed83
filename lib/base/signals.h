/// SIGINT, SIGTERM, SIGUSR1 (pre-emption) and SIGXCPU (ulimit -t) as requests to finish the current step, save and
/// exit.
#pragma once

#include <csignal>

#include "base/error.h"

namespace bigdna {

inline constexpr int kStopSignals[] = {SIGINT, SIGTERM, SIGUSR1, SIGXCPU};

/// Installs handlers for these signals, which only record the request. A second signal of the same kind ends the
/// process immediately, unless it comes within three seconds of the first: Ctrl-C reaches both a launcher (torchrun,
/// mpirun) and its ranks, and the launcher then signals the ranks as well.
void catch_stop_signals();
/// The signal that was received, or 0.
int stop_signal();

/// Thrown once the state is saved; apps/ then exits with 128 + signal (130, 143, 138, 152).
class Stopped : public Error {
 public:
  Stopped(int signal, const std::string& message) : Error(message), signal_(signal) {}
  int signal() const { return signal_; }

 private:
  int signal_;
};

}  // namespace bigdna
