#include "train/event_file.h"

#include <gtest/gtest.h>

#include "io/output.h"
#include "support.h"
#include "train/metrics_log.h"

namespace bigdna::train {
namespace {

TEST(EventFile, ChecksumsAreCastagnolis) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);  // RFC 3720, B.4
}

TEST(EventFile, BytesOfAnEvent) {
  test::TempDir folder;
  const std::string path = folder / kEventFileName;
  EventFile(path, 0).write(300, {{"a", 1.0}});
  const std::string content = io::read_file(path);
  const auto record = content.substr(16 + 9 + 2 + 15);  // after the first: wall_time, step, file_version
  // wall_time | step 300 | summary of 10 bytes { value of 8 { tag "a", simple_value 1 } }
  ASSERT_EQ(record.size(), 16u + 9 + 3 + 12);
  EXPECT_EQ(record[0], 24);  // the message's length
  EXPECT_EQ(record.substr(12 + 9, 15), std::string("\x10\xAC\x02\x2A\x0A\x0A\x08\x0A\x01"
                                                   "a\x15\0\0\x80\x3F",
                                                   15));
}

TEST(EventFile, AResumedRunDropsLaterStepsAndTornRecords) {
  test::TempDir folder;
  const std::string path = folder / kEventFileName;
  {
    EventFile file(path, 0);
    for (const int64_t step : {10, 20, 30}) file.write(step, {{"loss", 1.0 / static_cast<double>(step)}});
  }
  const std::string whole = io::read_file(path);
  // frame, wall_time, step, summary { value { tag, simple_value } }
  const size_t record = 16 + 9 + 2 + 2 + (2 + 6 + 5);
  ASSERT_EQ(whole.size(), 42 + 3 * record);
  EventFile(path, 20);
  EXPECT_EQ(io::read_file(path), whole.substr(0, whole.size() - record));
  io::write_file(path, whole.substr(0, whole.size() - 5));  // killed while writing
  EventFile(path, 1000);
  EXPECT_EQ(io::read_file(path), whole.substr(0, whole.size() - record));
  std::string damaged = whole;
  damaged[42 + record + 20] ^= 1;  // in the second step's message
  io::write_file(path, damaged);
  EventFile(path, 1000);
  EXPECT_EQ(io::read_file(path), whole.substr(0, 42 + record));
}

TEST(MetricsLog, WritesTheSameStepsToBothFiles) {
  test::TempDir folder;
  const auto line = [](int64_t step) {
    return nlohmann::ordered_json{{"step", step}, {"loss", 0.5}, {"name", "not a number"}};
  };
  {
    MetricsLog log(folder / "metrics.jsonl", 0);
    log.write(line(10));
    log.write(line(20));
  }
  const std::string both = io::read_file(folder / kEventFileName);
  EXPECT_NE(both.find("training/loss"), std::string::npos);
  EXPECT_EQ(both.find("name"), std::string::npos);
  MetricsLog(folder / "metrics.jsonl", 10);
  EXPECT_EQ(io::read_file(folder / "metrics.jsonl"), line(10).dump() + "\n");
  const std::string one = io::read_file(folder / kEventFileName);
  EXPECT_EQ(both.substr(0, one.size()), one);
  EXPECT_LT(one.size(), both.size());
}

}  // namespace
}  // namespace bigdna::train
