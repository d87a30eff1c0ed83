#include "base/signals.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace bigdna {
namespace {

TEST(StopSignals, ARepeatAtOnceIsTheSameRequestALaterOneEndsTheProcess) {
  EXPECT_EXIT(
      {
        catch_stop_signals();
        std::raise(SIGUSR1);
        std::raise(SIGUSR1);
        std::_Exit(stop_signal() == SIGUSR1 ? 7 : 8);
      },
      testing::ExitedWithCode(7), "");
  EXPECT_EXIT(
      {
        catch_stop_signals();
        std::raise(SIGTERM);
        std::this_thread::sleep_for(std::chrono::seconds(4));
        std::raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace bigdna
