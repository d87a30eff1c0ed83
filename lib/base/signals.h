/// SIGINT, SIGTERM, SIGHUP (a terminal that is closed), SIGUSR1 and SIGUSR2 (warnings of Slurm, Grid Engine and LSF)
/// and SIGXCPU (ulimit -t): each ends the program, or is a request to finish the current step, save and exit. A signal
/// that the parent process ignores (nohup, `trap ''`, SIGINT of a script's background jobs) stays ignored.
#pragma once

#include <csignal>
#include <string>

#include "base/error.h"

namespace bigdna {

struct StopSignal {
  int number;
  const char* name;
};
inline constexpr StopSignal kStopSignals[] = {{SIGINT, "SIGINT"},   {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"},
                                              {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"}, {SIGXCPU, "SIGXCPU"}};
/// The name of one of these.
const char* name_of_signal(int number);

/// From now on these signals end the process after `clean_up`, which a signal handler must be able to call. To be
/// called once, at the start. Also as process 1 of a container, where the kernel ignores a signal without a handler.
void end_at_stop_signals(void (*clean_up)());
/// Ends the process by a signal; with exit code 128 + signal where that cannot end it, as process 1. A signal handler
/// may call it.
[[noreturn]] void end_by(int signal);

/// While one lives, the signals only record a request. A second signal of the same kind ends the process immediately,
/// unless it comes within three seconds of the first: Ctrl-C reaches both a launcher (torchrun, mpirun) and its ranks,
/// and the launcher then signals the ranks as well.
class StopRequests {
 public:
  StopRequests();
  ~StopRequests();
  StopRequests(const StopRequests&) = delete;
  StopRequests& operator=(const StopRequests&) = delete;
  /// The signal that was received since the last one began, or 0.
  static int signal();
};

/// Thrown once the state is saved; apps/ then exits with 128 + signal (130, 143, 129, 138, 140, 152).
class Stopped : public Error {
 public:
  Stopped(int signal, const std::string& message) : Error(message), signal_(signal) {}
  int signal() const { return signal_; }

 private:
  int signal_;
};

}  // namespace bigdna
