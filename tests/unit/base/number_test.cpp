#include "base/number.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace bigdna {
namespace {

TEST(ParseNumber, IsTheWholeText) {
  EXPECT_EQ(parse_number<int64_t>("-12"), -12);
  EXPECT_EQ(parse_number<double>("1e-3"), 1e-3);
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "1,5", "--1"}) {
    EXPECT_FALSE(parse_number<int64_t>(text)) << text;
    EXPECT_FALSE(parse_number<double>(text)) << text;
  }
  EXPECT_FALSE(parse_number<int64_t>("1.5"));
}

TEST(ParseNumber, MustFit) {
  EXPECT_EQ(parse_number<int64_t>("9223372036854775807"), INT64_MAX);
  EXPECT_FALSE(parse_number<int64_t>("9223372036854775808"));
  EXPECT_FALSE(parse_number<double>("1e400"));
}

}  // namespace
}  // namespace bigdna
