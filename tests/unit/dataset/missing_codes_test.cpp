#include "dataset/missing_codes.h"

#include <limits>

#include "support.h"

namespace bigdna::dataset {
namespace {

std::string said_of(const std::vector<float>& values, const std::vector<std::string>& columns = {"y"}) {
  testing::internal::CaptureStderr();
  warn_of_missing_codes(columns, values, "t.tsv");
  return testing::internal::GetCapturedStderr();
}

TEST(MissingCodes, AreNamedWhereNoOtherNumberIsNear) {
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(said_of({1, -9, 2, -9, 0.5}).find("t.tsv: column y: 2 rows have -9, by which PLINK"), std::string::npos);
  EXPECT_NE(said_of({-3, -999, kNone, 2}).find("column y: 1 row has -999"), std::string::npos);
  EXPECT_EQ(said_of({-9, -5, 1}), "");  // measured
  EXPECT_EQ(said_of({-10, -9, 1}), "");
  EXPECT_EQ(said_of({-8, 1}), "");
  EXPECT_EQ(said_of({1, 0, 2, 0}), "");
  const auto second = said_of({-9, -99, -8, 7, -7, 8}, {"a", "b"});
  EXPECT_EQ(second.find("column a"), std::string::npos);
  EXPECT_NE(second.find("column b: 1 row has -99"), std::string::npos);
}

}  // namespace
}  // namespace bigdna::dataset
