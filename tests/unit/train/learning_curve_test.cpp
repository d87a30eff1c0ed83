#include "train/learning_curve.h"

#include <gtest/gtest.h>

namespace bigdna::train {
namespace {

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(LearningCurve, DrawsEachValueAgainstStepsAndTokens) {
  const std::string svg = learning_curve(
      R"({"step":10,"tokens":1000,"loss":3.0,"bpc":2.0,"learning_rate":0.1,"accuracy":0.1}
{"step":10,"tokens":1000,"held_out_bpc":1.9,"unigram_bpc":1.95}
{"step":20,"tokens":2000,"loss":2.5,"bpc":null,"learning_rate":0.05,"accuracy":0.2}
{"step":20,"tokens":2000,"held_out_bpc":1.8,"unigram_bpc":1.95}
)",
      "bpc");
  EXPECT_EQ(count(svg, "<svg"), 1u);
  EXPECT_EQ(count(svg, ">held_out_bpc<"), 2u);  // in two legends
  EXPECT_EQ(count(svg, ">unigram_bpc<"), 2u);
  EXPECT_EQ(count(svg, ">learning_rate<"), 2u);
  EXPECT_EQ(count(svg, ">accuracy<"), 0u);
  EXPECT_GT(count(svg, "dash"), 0u);
  EXPECT_EQ(count(svg, ">steps<"), 3u);
  EXPECT_EQ(count(svg, ">tokens (millions)<"), 3u);
}

}  // namespace
}  // namespace bigdna::train
