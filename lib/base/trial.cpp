#include "base/trial.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace bigdna {
namespace {

constexpr int kNoStart = 100;

/// The child has the handlers of its parent, and must not leave a core file.
[[noreturn]] void run_as_child(const std::function<void()>& function, unsigned seconds) {
  const rlimit none{0, 0}, busy{seconds, seconds + 1};
  setrlimit(RLIMIT_CORE, &none);
  setrlimit(RLIMIT_CPU, &busy);
  for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM, SIGXCPU, SIGTERM, SIGINT})
    signal(number, SIG_DFL);
  if (const int nowhere = open("/dev/null", O_WRONLY); nowhere < 0 || dup2(nowhere, STDERR_FILENO) < 0) _exit(kNoStart);
  alarm(20 * seconds);
  function();
  _exit(0);
}

}  // namespace

Trial try_in_child(const std::function<void()>& function, unsigned seconds) {
  const pid_t child = fork();
  if (child < 0) return Trial::did_not_start;
  if (child == 0) run_as_child(function, seconds);
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return Trial::did_not_start;
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGXCPU ? Trial::too_slow : Trial::crashed;
  if (WEXITSTATUS(status) == kNoStart) return Trial::did_not_start;
  return WEXITSTATUS(status) == 0 ? Trial::passed : Trial::crashed;  // sanitizers exit
}

}  // namespace bigdna
