/// What a limit on the number of threads does, for tests of code that starts some.
#pragma once

#include <gtest/gtest.h>
#include <pthread.h>

namespace bigdna::test {

/// While it lives no thread can be started: stacks of new threads would take more memory than there are addresses. (A
/// limit on processes, the usual cause, does not hold for root.)
class NoMoreThreads {
 public:
  NoMoreThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge = before_;
    pthread_attr_setstacksize(&huge, size_t{1} << 50);
    EXPECT_EQ(pthread_setattr_default_np(&huge), 0);
  }
  ~NoMoreThreads() { pthread_setattr_default_np(&before_); }

 private:
  pthread_attr_t before_;
};

}  // namespace bigdna::test
