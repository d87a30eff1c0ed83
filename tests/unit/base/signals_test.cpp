#include "base/signals.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

namespace bigdna {
namespace {

TEST(StopSignals, ARepeatAtOnceIsTheSameRequestALaterOneEndsTheProcess) {
  for (const StopSignal& signal : kStopSignals)
    EXPECT_EXIT(
        {
          const StopRequests requests;
          std::raise(signal.number);
          std::raise(signal.number);
          std::_Exit(requests.signal() == signal.number ? 7 : 8);
        },
        testing::ExitedWithCode(7), "")
        << signal.name;
  EXPECT_EXIT(
      {
        const StopRequests requests;
        std::raise(SIGTERM);
        std::this_thread::sleep_for(std::chrono::seconds(4));
        std::raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "");
}

TEST(StopSignals, EndTheProcessOutsideOfTrainingOnceItsFilesAreRemoved) {
  for (const StopSignal& signal : kStopSignals)
    EXPECT_EXIT(
        {
          end_at_stop_signals([] { std::fputs("cleaned", stderr); });
          { const StopRequests requests; }
          std::raise(signal.number);
          std::_Exit(0);
        },
        testing::KilledBySignal(signal.number), "cleaned")
        << signal.name;
}

TEST(StopSignals, WhatTheParentIgnoresStaysIgnored) {
  for (const StopSignal& signal : kStopSignals)
    EXPECT_EXIT(
        {
          std::signal(signal.number, SIG_IGN);
          end_at_stop_signals([] {});
          std::raise(signal.number);
          const StopRequests requests;
          std::raise(signal.number);
          std::_Exit(requests.signal() == 0 ? 7 : 8);
        },
        testing::ExitedWithCode(7), "")
        << signal.name;
}

}  // namespace
}  // namespace bigdna
