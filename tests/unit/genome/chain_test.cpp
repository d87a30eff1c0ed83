#include "genome/chain.h"

#include <charconv>
#include <map>

#include "base/error.h"
#include "genome/bed.h"
#include "io/output.h"
#include "support.h"

namespace bigdna::genome {
namespace {

using io::write_file;
using test::error_of;
using test::TempDir;

// Target t: [100, 200) -> +[1000, 1100); a gap of 10 on both; [210, 260) -> [1110, 1160); then [300, 400) -> q2, minus
// strand.
constexpr const char* kChain =
    "# comment\nchain 900 t 1000 + 100 260 q 5000 + 1000 1160 1\n100 10 10\n50\n\n"
    "chain 800 t 1000 + 300 400 q2 500 - 100 200 2\n100\n\n"
    "chain 700 t 1000 + 380 480 q3 900 + 0 100 3\n100\n\n"
    "chain 600 chr5 1000 + 0 1000 chr6 1000 + 0 1000 4\n1000\n";

std::string lifted(const Chains& chains, const Region& region, double least = 0.95) {
  const Lifted result = chains.lift(region, least);
  return result.reason == Unlifted::none
             ? concat(result.region.contig, " ", result.region.start, " ", result.region.end, " ", result.region.strand)
             : to_string(result.reason);
}

TEST(Chains, ForwardGapsAndReasons) {
  TempDir dir;
  write_file(dir / "c.chain", kChain);
  const Chains chains(dir / "c.chain");
  EXPECT_EQ(chains.size(), 4u);
  EXPECT_EQ(lifted(chains, {"t", 100, 101, '+'}), "q 1000 1001 +");
  EXPECT_EQ(lifted(chains, {"t", 150, 250, '-'}, 0.9), "q 1050 1150 -");
  EXPECT_EQ(lifted(chains, {"t", 150, 250}, 0.91), "Partially deleted in new");
  EXPECT_EQ(lifted(chains, {"t", 200, 210}), "Deleted in new");
  EXPECT_EQ(lifted(chains, {"t", 195, 215}, 0.5), "q 1095 1115 .");
  EXPECT_EQ(lifted(chains, {"t", 80, 120}, 0.5), "q 1000 1020 .");
  EXPECT_EQ(lifted(chains, {"t", 0, 50}), "Deleted in new");
  EXPECT_EQ(lifted(chains, {"t", 120, 120}), "Empty region");
  EXPECT_EQ(lifted(chains, {"nowhere", 0, 10}), "Deleted in new");
  EXPECT_EQ(lifted(chains, {"t", 200, 350}), "Split in new");
  EXPECT_EQ(lifted(chains, {"t", 385, 395}), "Duplicated in new");
}

TEST(Chains, MinusStrand) {
  TempDir dir;
  write_file(dir / "c.chain", kChain);
  const Chains chains(dir / "c.chain");
  // t:300 is base 100 of q2's reverse strand, 500 - 101 = 399 on its forward strand
  EXPECT_EQ(lifted(chains, {"t", 300, 301, '+'}), "q2 399 400 -");
  EXPECT_EQ(lifted(chains, {"t", 310, 330, '-'}), "q2 370 390 +");
  EXPECT_EQ(lifted(chains, {"t", 310, 330, '.'}), "q2 370 390 .");
}

TEST(Chains, KnowTheLengthsOfBothAssemblies) {
  TempDir dir;
  write_file(dir / "c.chain", kChain);
  const Chains chains(dir / "c.chain");
  EXPECT_EQ(chains.target_length("t"), 1000);
  EXPECT_EQ(chains.target_length("5"), 1000);
  EXPECT_EQ(chains.query_length("q"), 5000);
  EXPECT_EQ(chains.query_length("chrq2"), 500);
  EXPECT_FALSE(chains.target_length("q"));
  EXPECT_NO_THROW(chains.refuse_past_end({"t", 990, 1000}, "x:1"));
  EXPECT_NO_THROW(chains.refuse_past_end({"nowhere", 990, 1001}, "x:1"));
  EXPECT_EQ(
      error_of([&] {
        chains.refuse_past_end({"t", 990, 1001}, "x:1");
      }),
      "x:1: position 1001 is past the end of t (1000 bp) in the assembly that " + (dir / "c.chain") + " leads from");
}

TEST(Chains, NamesWithoutChr) {
  TempDir dir;
  write_file(dir / "c.chain", kChain);
  const Chains chains(dir / "c.chain");
  EXPECT_EQ(lifted(chains, {"chr5", 1, 2}), "chr6 1 2 .");
  EXPECT_EQ(lifted(chains, {"5", 1, 2}), "6 1 2 .");
  EXPECT_EQ(lifted(chains, {"chrt", 100, 101}), "chrq 1000 1001 .");
}

TEST(Chains, Errors) {
  TempDir dir;
  const auto error = [&](const std::string& content) {
    write_file(dir / "c", content);
    const std::string message = error_of([&] { Chains{dir / "c"}; });
    EXPECT_TRUE(message.starts_with(dir / "c")) << message;
    return message.substr((dir / "c").size());
  };
  EXPECT_EQ(error(""), ": has no chains");
  EXPECT_EQ(error("t\t1\t2\n"), ":1: not a chain file: expected a line 'chain SCORE TARGET ...'");
  EXPECT_EQ(error("chain 9 t 10 + 0 5 q 10 + 0 5 1\n4\n"), ":2: the chain's blocks do not end where its header says");
  EXPECT_EQ(error("chain 9 t 10 + 0 5 q 10 + 0 5 1\n4 1 1\n"), ":2: truncated: the chain's last block is missing");
  EXPECT_EQ(error("chain 9 t 10 - 0 5 q 10 + 0 5 1\n5\n"), ":1: the target's strand is '-', which must be +");
  EXPECT_EQ(error("chain 9 t 10 + 0 50 q 10 + 0 50 1\n50\n"), ":1: the chain reaches past the end of its sequence");
  EXPECT_EQ(error("chain 9 t 10 + 0 5 q 10 + 0 5 1\n5\n\nchain 9 t 11 + 5 10 q 10 + 5 10 1\n5\n"),
            ":4: t has 11 bp here, and 10 in a chain before");
  EXPECT_EQ(error("chain 9 t 10 + 0 x q 10 + 0 5 1\n5\n"), ":1: 'x' is not a length or position");
}

// Points (0-based) that UCSC's liftOver lifted; "-" is one that it did not. From pyliftover's tests.
TEST(Chains, TenThousandPointsOfUcsc) {
  BIGDNA_REAL_DATA(folder, "liftover/golden_pyliftover");
  const Chains chains(folder + "/hg17ToHg18.over.chain.gz");
  io::LineReader lines(folder + "/hg17ToHg18.testpoints.txt.gz");
  int64_t points = 0, equal = 0;
  std::map<std::string, int> different;
  while (const auto line = lines.next()) {
    std::vector<std::string> column(1);
    for (const char letter : *line)
      if (letter == '\t')
        column.emplace_back();
      else
        column.back() += letter;
    ASSERT_EQ(column.size(), 4u) << *line;
    const int64_t position = std::stoll(column[1]);
    const Lifted result = chains.lift({column[0], position, position + 1});
    const bool expected = column[2] != "-";
    ++points;
    if (result.reason == Unlifted::none
            ? expected && result.region.contig == column[2] && result.region.start == std::stoll(column[3])
            : !expected)
      ++equal;
    else
      ++different[to_string(result.reason)];
  }
  EXPECT_EQ(points, 10000);
  for (const auto& [reason, count] : different) ADD_FAILURE() << count << " points differ, ours: " << reason;
  EXPECT_EQ(equal, points);
}

TEST(Chains, StartSitesThereAndBack) {
  BIGDNA_REAL_DATA(folder, "liftover");
  const Chains there(folder + "/hg38ToHg19.over.chain.gz"), back(folder + "/hg19ToHg38.over.chain.gz");
  int64_t lifted = 0, same = 0, total = 0;
  for (const auto& record : read_bed(folder + "/../promoters/EPDnew_human_hg38_29598.bed.gz")) {
    ++total;
    const Lifted result = there.lift(record.region);
    if (result.reason != Unlifted::none) continue;
    ++lifted;
    const Lifted again = back.lift(result.region);
    same += again.reason == Unlifted::none && again.region == record.region;
  }
  EXPECT_GT(lifted, total * 995 / 1000);
  EXPECT_GT(same, lifted * 998 / 1000);
}

}  // namespace
}  // namespace bigdna::genome
