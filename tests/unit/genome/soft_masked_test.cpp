#include <gtest/gtest.h>

#include "genome/fasta.h"
#include "genome/interval_set.h"
#include "io/output.h"
#include "support.h"

namespace bigdna::genome {
namespace {

TEST(SoftMasked, RunsOfLowerCaseAcrossLinesAndRecords) {
  test::TempDir folder;
  io::write_file(folder / "g.fa", ">a text\nACgt\nnn\nAC\n>b\nac\r\n>c\nACGT\n");
  const auto set = soft_masked(folder / "g.fa");
  EXPECT_EQ(set.intervals("a"), (std::vector<IntervalSet::Interval>{{2, 6}}));
  EXPECT_EQ(set.intervals("b"), (std::vector<IntervalSet::Interval>{{0, 2}}));
  EXPECT_TRUE(set.intervals("c").empty());
  io::write_file(folder / "upper.fa", ">a\nACGTN\n");
  EXPECT_TRUE(soft_masked(folder / "upper.fa").empty());
}

}  // namespace
}  // namespace bigdna::genome
