#include <gtest/gtest.h>

#include "corpus/build.h"
#include "io/output.h"
#include "support.h"

namespace bigdna::corpus {
namespace {

TEST(Survey, SaysWhatAPassReadsOfShortContigs) {
  const auto said = [](const std::vector<genome::Contig>& contigs, int64_t start_max = 5000) {
    SamplerOptions sampler;
    sampler.start_max = start_max;
    testing::internal::CaptureStderr();
    warn_of_short_contigs(sampler, contigs);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_NE(
      said({{"a", 80}, {"b", 700}}).find("a pass starts up to 5000 bp into each of them, and so reads 50 % of their"),
      std::string::npos);
  EXPECT_NE(said({{"a", 10'000}}).find("reads 75 % of their bases"), std::string::npos);
  EXPECT_EQ(said({{"a", 80}, {"b", 700}}, 0), "");
  EXPECT_EQ(said({{"a", 1'000'000}, {"b", 700}}), "");
  EXPECT_EQ(said({}), "");
}

TEST(Survey, AContigOfTheExactNameIsReadAlone) {
  const test::TempDir dir;
  io::write_file(dir / "g.fa", ">c2x\nACGTACGT\n>c1x1\nACNT\n>c1.1\nACGTNN\n>c1y1\nAAAA\n");
  BuildOptions options;
  options.fastas = {dir / "g.fa"};
  options.hold_out = "0";
  options.sampler.start_max = 0;
  options.contigs = "c1.1";
  const auto exact = survey(options, /*keep=*/true);
  ASSERT_EQ(exact.contigs.size(), 1);
  EXPECT_EQ(exact.contigs[0].name, "c1.1");
  EXPECT_EQ(exact.bases, 6);
  EXPECT_EQ(exact.n, 2);
  EXPECT_EQ(exact.kept.size(), 1);
  EXPECT_EQ(exact.left_out, (std::vector<std::string>{"c2x", "c1x1", "c1y1"}));
  const auto not_kept = survey(options);
  ContigReader reader({options.fastas, options.contigs}, &not_kept);
  EXPECT_EQ(reader.next()->name, "c1.1");
  EXPECT_FALSE(reader.next());
  options.contigs = "c1..";
  EXPECT_EQ(survey(options).contigs.size(), 3);
}

}  // namespace
}  // namespace bigdna::corpus
