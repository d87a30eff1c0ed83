#include "io/write_all.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "base/rng.h"

namespace bigdna::io {
namespace {

/// A signal every millisecond, which interrupts what the process waits in.
class Interruptions {
 public:
  Interruptions() {
    struct sigaction action {};
    action.sa_handler = [](int) { count_ = count_ + 1; };  // and no SA_RESTART
    sigaction(SIGALRM, &action, &before_);
    const itimerval often{{0, 1000}, {0, 1000}};
    setitimer(ITIMER_REAL, &often, nullptr);
  }
  ~Interruptions() {
    const itimerval never{};
    setitimer(ITIMER_REAL, &never, nullptr);
    sigaction(SIGALRM, &before_, nullptr);
  }
  static int count() { return count_; }

 private:
  static inline volatile sig_atomic_t count_ = 0;
  struct sigaction before_ {};
};

TEST(WriteAll, SignalsLoseNothing) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::string sent, received;
  for (Rng rng(1); sent.size() < 1 << 20;) sent += static_cast<char>(rng.below(256));
  sigset_t alarm, before;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarm, &before);  // for the reader: signals go to the writer
  std::thread reader([&] {
    char buffer[1 << 16];
    for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0;) {
      received.append(buffer, static_cast<size_t>(got));
      std::this_thread::sleep_for(std::chrono::milliseconds(3));  // the writer waits, and is interrupted there
    }
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  {
    const Interruptions interruptions;
    EXPECT_EQ(write_all(ends[1], sent), 0);
    EXPECT_GT(Interruptions::count(), 0);
  }
  close(ends[1]);
  reader.join();
  close(ends[0]);
  EXPECT_TRUE(received == sent);
}

TEST(WriteAll, ErrorsAreErrnos) {
  EXPECT_EQ(write_all(-1, "x"), EBADF);
  EXPECT_EQ(write_all(-1, ""), 0);
  const int full = ::dup(0);
  close(full);
  char byte;
  EXPECT_EQ(read_all(full, {&byte, 1}, 0), EBADF);
}

TEST(ReadAll, AFileThatEndsBeforeIsAnError) {
  FILE* file = std::tmpfile();
  ASSERT_EQ(write_all(fileno(file), "0123456789"), 0);
  std::string bytes(4, ' ');
  EXPECT_EQ(read_all(fileno(file), bytes, 6), 0);
  EXPECT_EQ(bytes, "6789");
  EXPECT_EQ(read_all(fileno(file), bytes, 7), EIO);
  std::fclose(file);
}

}  // namespace
}  // namespace bigdna::io
