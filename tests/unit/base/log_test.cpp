#include "base/log.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>

namespace bigdna::log {
namespace {

/// The first line that is written about progress from now on.
std::string next_report() {
  testing::internal::CaptureStderr();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const std::string text = testing::internal::GetCapturedStderr();
  return text.substr(0, text.find('\n'));
}

TEST(Progress, ALineNamesTheStageHowFarItIsAndWhatIsAroundIt) {
  set_heartbeat(0.02);
  const Progress whole("the whole run");
  EXPECT_NE(next_report().find("bigdna: the whole run: 0 s so far"), std::string::npos);
  {
    const Progress stage("k-mers (--no-baseline leaves them out)");
    Progress counting("counting k-mers", 64'550, "rows");
    counting.add(10'000);
    counting.add(10'020);
    EXPECT_NE(
        next_report().find("bigdna: k-mers (--no-baseline leaves them out): counting k-mers: 31 %, 20020/64550 rows"),
        std::string::npos);
  }
  Progress training("train", 1000, "steps");
  training.update(92, "loss 7.1");
  EXPECT_NE(next_report().find("bigdna: train: 9 %, 92/1000 steps"), std::string::npos);
  const Progress evaluation("evaluation");
  const std::string line = next_report();
  EXPECT_NE(line.find("bigdna: evaluation: 0 s so far; train: 9 %, 92/1000 steps"), std::string::npos) << line;
}

TEST(WithoutRepeats, SaysNothingTwice) {
  testing::internal::CaptureStderr();
  {
    const WithoutRepeats once;
    warn("few blocks");
    warn("few blocks");
    error("failed");
    error("failed");
  }
  warn("few blocks");
  const std::string text = testing::internal::GetCapturedStderr();
  const auto count = [&](const std::string& part) {
    int found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("few blocks"), 2);
  EXPECT_EQ(count("failed"), 2);
}

}  // namespace
}  // namespace bigdna::log
