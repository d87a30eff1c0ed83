#include "variants/lifted_variant.h"

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "base/error.h"
#include "genome/alphabet.h"
#include "io/output.h"
#include "support.h"

namespace bigdna::variants {
namespace {

using test::TempDir;

constexpr const char* kHeader = "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n";

/// A contig with an allele in place of its reference.
std::string with_alt(const std::string& contig, const VcfRecord& record, size_t alt) {
  auto copy = contig;
  return copy.replace(static_cast<size_t>(record.position), record.ref.size(), record.alts[alt]);
}

/// Bases with many repeats, so that an insertion or deletion has many representations.
std::string repetitive(std::mt19937& random, size_t length) {
  std::string bases;
  while (bases.size() < length) {
    const std::string unit(1 + random() % 3, "ACGT"[random() % 4]);
    for (size_t i = 0; i < 1 + random() % 6; ++i) bases += unit + (random() % 3 ? "" : "C");
  }
  return bases.substr(0, length);
}

bool is_left_aligned(const VcfRecord& record) {
  std::set<char> first{record.ref.front()}, last{record.ref.back()};
  size_t fewest = record.ref.size();
  for (const auto& alt : record.alts) {
    first.insert(alt.front()), last.insert(alt.back());
    fewest = std::min(fewest, alt.size());
  }
  return (last.size() > 1 || record.position == 0) && (fewest == 1 || first.size() > 1);
}

TEST(VariantLifter, ALiftedAlleleMakesTheSameSequence) {
  TempDir dir;
  std::mt19937 random(7);
  const auto target = repetitive(random, 400), source = genome::reverse_complement(target);
  io::write_file(dir / "target.fa", ">2\n" + target + "\n");
  io::write_file(dir / "plus.chain", "chain 1 1 400 + 0 400 2 400 + 0 400 1\n400\n\n");
  io::write_file(dir / "minus.chain", "chain 1 1 400 + 0 400 chr2 400 - 0 400 1\n400\n\n");
  const genome::Genome genome(dir / "target.fa");
  for (const bool minus : {false, true}) {
    const auto& from = minus ? source : target;
    std::string lines = kHeader;
    for (int i = 0; i < 500; ++i) {
      const size_t at = random() % 380, length = 1 + random() % 4;
      const auto ref = from.substr(at, length);
      std::string alts;
      for (size_t k = 0; k < 1 + random() % 2; ++k)
        alts += (k ? "," : "") + (random() % 2 ? ref.substr(0, 1) : "") + repetitive(random, 1 + random() % 3);
      lines += "1\t" + std::to_string(at + 1) + "\t.\t" + ref + "\t" + alts + "\t.\t.\t.\n";
    }
    io::write_file(dir / "in.vcf", lines);
    const genome::Chains chains(dir / (minus ? "minus.chain" : "plus.chain"));
    VariantLifter lifter(chains, genome);
    VcfReader reader(dir / "in.vcf");
    int lifted = 0;
    while (const auto record = reader.next()) {
      const auto result = lifter.lift(reader.header(), *record);
      if (result.rejected) {
        EXPECT_EQ(result.rejected->name, "same_as_reference") << record->line;
        continue;
      }
      ++lifted;
      EXPECT_EQ(result.record.contig, "2");
      EXPECT_EQ(result.turned, minus);
      ASSERT_EQ(target.substr(static_cast<size_t>(result.record.position), result.record.ref.size()),
                result.record.ref);
      bool indel = false;
      for (size_t alt = 0; alt < record->alts.size(); ++alt) {
        const auto expected = with_alt(from, *record, alt);
        EXPECT_EQ(with_alt(target, result.record, alt), minus ? genome::reverse_complement(expected) : expected)
            << record->line << " -> " << result.record.line;
        indel |= record->alts[alt].size() != record->ref.size();
      }
      EXPECT_TRUE(!minus || !indel || is_left_aligned(result.record)) << result.record.line;
    }
    EXPECT_GT(lifted, 300);
  }
}

class Lifted : public ::testing::Test {
 protected:
  /// Columns of the lifted record, or its line, which says why it is rejected. t: [0, 20) -> q [10, 30), 5 bases that
  /// only q has, [20, 40) -> q [35, 55).
  std::string lifted(const std::string& columns) {
    io::write_file(dir_ / "q.fa", ">q\n" + std::string(10, 'N') + std::string(20, 'A') + "CCCCC" +
                                      std::string(20, 'G') + std::string(5, 'T') + "\n");
    io::write_file(dir_ / "c.chain", "chain 1 t 50 + 0 40 q 60 + 10 55 1\n20 0 5\n20\n\n");
    std::string line = columns;
    std::ranges::replace(line, ' ', '\t');
    io::write_file(dir_ / "in.vcf", kHeader + line + "\n");
    const genome::Chains chains(dir_ / "c.chain");
    const genome::Genome genome(dir_ / "q.fa");
    VcfReader reader(dir_ / "in.vcf");
    line = VariantLifter(chains, genome).lift(reader.header(), reader.next().value()).record.line;
    std::ranges::replace(line, '\t', ' ');
    return line;
  }
  TempDir dir_;
};

TEST_F(Lifted, EndAndEarlierReasonsFollowTheRecord) {
  EXPECT_EQ(lifted("t 3 x AA CC 9 PASS AC=1;END=4;BIGDNA_REJECTED=split;Z"), "q 13 x AA CC 9 PASS AC=1;Z;END=14");
  EXPECT_EQ(lifted("t 3 x A . 9 PASS END=3"), "q 13 x A . 9 PASS END=13");
  EXPECT_EQ(lifted("t 3 x A ."), "q 13 x A . . . .");
  EXPECT_EQ(lifted("t 3 x A . 9 PASS END=7;AC=0"), "t 3 x A . 9 PASS END=7;AC=0;BIGDNA_REJECTED=end_not_of_reference");
}

TEST_F(Lifted, ARecordThatWouldMeanAnythingElseIsRejected) {
  const auto reason = [&](const std::string& columns) {
    const auto line = lifted(columns);
    EXPECT_TRUE(line.starts_with(columns.substr(0, columns.rfind(' ')))) << line;
    return line.substr(line.find('=') + 1);
  };
  EXPECT_EQ(reason("t 3 . C G . . ."), "reference_mismatch");
  EXPECT_EQ(reason("t 3 . C . . . ."), "reference_mismatch");
  EXPECT_EQ(reason("t 3 . C A . . ."), "alleles_swapped");
  EXPECT_EQ(reason("t 3 . C A,G . . ."), "reference_mismatch");
  EXPECT_EQ(reason("t 20 . AG A . . ."), "gap_in_reference");
  EXPECT_EQ(reason("t 40 . GG G . . ."), "partly_deleted");
  EXPECT_EQ(reason("t 45 . G T . . ."), "deleted");
  EXPECT_EQ(reason("u 3 . A T . . ."), "deleted");
  EXPECT_EQ(reason("t 0 . A T . . ."), "position_not_on_contig");
  EXPECT_EQ(reason("t 3 . A <DEL> . . ."), "symbolic_allele");
  EXPECT_EQ(reason("t 3 . A A]t:9] . . ."), "breakend");
  EXPECT_EQ(reason("t 3 . A N . . ."), "ambiguous_base");
  EXPECT_EQ(reason("t 3 . A A . . ."), "same_as_reference");
  EXPECT_EQ(reason("t 3 . A T x . ."), "malformed_record");
  EXPECT_EQ(lifted("t 3 . a *,t . . ."), "q 13 . a *,t . . .");
}

// TCACACAG has a third and a fourth CA in the new assembly, and there the chain has its gap: at the repeat's end, on
// the minus strand at its start. What is no insertion or deletion is lifted up to the gap.
TEST(VariantLifter, AnIndelInARepeatOfAnotherLengthIsNotLifted) {
  TempDir dir;
  const std::string left = "GATTACAGGT", right = "GGTCTTAGCA", from = left + "CACA" + right;
  const auto target = left + "CACACACA" + right;
  const std::vector<std::pair<std::string, std::string>> rows{{"1\t10\ttwo_more\tT\tTCACA", "gap_around_indel"},
                                                              {"1\t10\tone_less\tTCA\tT", "gap_around_indel"},
                                                              {"1\t14\tat_its_end\tA\tACA", "gap_around_indel"},
                                                              {"1\t14\tother\tA\tC,ATT", "gap_around_indel"},
                                                              {"1\t10\tbefore\tT\tTGG", ""},
                                                              {"1\t10\tbase\tT\tC", ""},
                                                              {"1\t14\tlast_base\tA\tC", ""},
                                                              {"1\t18\tbehind\tC\tCGG", ""},
                                                              {"1\t1\tfirst\tG\tGTT", ""},
                                                              {"1\t24\tlast\tA\tAGG", ""}};
  std::string lines = kHeader;
  for (const auto& [line, reason] : rows) lines += line + "\t.\t.\t.\n";
  io::write_file(dir / "in.vcf", lines);
  io::write_file(dir / "plus.fa", ">2\n" + target + "\n");
  io::write_file(dir / "minus.fa", ">2\n" + genome::reverse_complement(target) + "\n");
  for (const std::string strand : {"plus", "minus"}) {
    io::write_file(dir / "a.chain",
                   concat("chain 1 1 24 + 0 24 2 28 ", strand == "plus" ? '+' : '-', " 0 28 1\n14 0 4\n10\n\n"));
    const genome::Chains chains(dir / "a.chain");
    const genome::Genome genome(dir / (strand + ".fa"));
    VariantLifter lifter(chains, genome);
    VcfReader reader(dir / "in.vcf");
    for (const auto& [line, reason] : rows) {
      const auto result = lifter.lift(reader.header(), *reader.next());
      EXPECT_EQ(result.rejected ? result.rejected->name : "", reason) << strand << " " << line;
    }
  }
}

}  // namespace
}  // namespace bigdna::variants
