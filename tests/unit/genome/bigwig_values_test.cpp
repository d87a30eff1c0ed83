#include "genome/bigwig_values.h"

#include <fstream>

#include "base/error.h"
#include "genome/bigwig.h"
#include "io/output.h"
#include "support.h"

namespace bigdna::genome {
namespace {

using test::error_of;
using test::TempDir;

TEST(BigWigValues, OfManyBlocksAndContigs) {
  TempDir dir;
  std::vector<Contig> contigs;
  for (int i = 0; i < 1000; ++i) contigs.push_back({concat("contig", i), 100'000});
  BigWigWriter writer(dir / "a.bw", contigs);
  for (int i = 0; i < 1000; i += 3)
    for (int64_t k = 0; k < (i == 300 ? 5000 : 2); ++k)
      writer.add(contigs[static_cast<size_t>(i)].name, 10 * k, 10 * k + 5, static_cast<float>(k));
  writer.commit();
  const BigWigValues values(dir / "a.bw");
  ASSERT_EQ(values.contigs().size(), 1000u);
  EXPECT_EQ(values.contigs()[100].name, "contig300");
  EXPECT_EQ(values.contigs()[100].length, 100'000);
  int64_t count = 0;
  values.each([&](const BigWigValue& v) {
    EXPECT_EQ(v.end, v.start + 5);
    EXPECT_EQ(v.value * 10, static_cast<float>(v.start));
    ++count;
  });
  EXPECT_EQ(count, 333 * 2 + 5000);
}

TEST(BigWigValues, OfADamagedFileAreAnErrorThatNamesIt) {
  TempDir dir;
  const std::string path = dir / "a.bw";
  BigWigWriter writer(path, {{"a", 1000}, {"b", 500'000}});
  writer.add("a", 0, 100, 1);
  writer.add("b", 0, 100, 2);
  writer.commit();
  const auto whole = io::read_file(path);
  int errors = 0;
  for (size_t at = 0; at < whole.size(); at += 3) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x5a);
    for (const std::string& damaged : {whole.substr(0, at), changed}) {
      std::ofstream(path, std::ios::binary) << damaged;
      const auto error = error_of([&] { BigWigValues(path).each([](const BigWigValue&) {}); });
      EXPECT_TRUE(error.empty() || error.starts_with(path)) << error;
      errors += !error.empty();
    }
  }
  EXPECT_GT(errors, 100);
}

}  // namespace
}  // namespace bigdna::genome
