/// Requests to stop that finish the step, save and leave: SIGINT, SIGTERM, SIGUSR1 (pre-emption).
#pragma once

#include "base/error.h"

namespace bigdna {

/// Installs handlers for the three that only remember the request. Later ones of the same kind end at once.
void catch_stop_signals();
/// The signal asked for, or 0.
int stop_signal();

/// Thrown once the state is saved; apps/ leaves with 128 + signal (130, 143, 138).
class Stopped : public Error {
 public:
  Stopped(int signal, const std::string& message) : Error(message), signal_(signal) {}
  int signal() const { return signal_; }

 private:
  int signal_;
};

}  // namespace bigdna
