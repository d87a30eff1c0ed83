#include "variants/edit.h"

#include "base/rng.h"
#include "genome/alphabet.h"
#include "support.h"

namespace bigdna::variants {
namespace {

std::string bases(Rng& rng, size_t length) {
  std::string text;
  for (size_t i = 0; i < length; ++i) text += "ACGT"[rng.below(4)];
  return text;
}

/// [start, end) of a contig, N past its ends.
std::string cut(const std::string& contig, int64_t start, int64_t end) {
  std::string text;
  for (int64_t i = start; i < end; ++i)
    text += i < 0 || i >= static_cast<int64_t>(contig.size()) ? 'N' : contig[static_cast<size_t>(i)];
  return text;
}

TEST(Edit, IsTheIntervalOfTheEditedContig) {
  Rng rng(3);
  for (int i = 0; i < 2000; ++i) {
    const std::string contig = bases(rng, 300);
    Allele allele;
    allele.position = rng.between(0, 290);
    allele.ref = contig.substr(static_cast<size_t>(allele.position), 1 + rng.below(10));
    allele.alt = bases(rng, 1 + rng.below(10));
    const int64_t start = rng.between(-60, 240), end = start + 60;  // also past the contig's ends
    const auto ref = static_cast<int64_t>(allele.ref.size()), longer = static_cast<int64_t>(allele.alt.size()) - ref;
    ASSERT_EQ(fits(allele, start, end), allele.position >= start && allele.position + ref <= end);
    if (!fits(allele, start, end)) continue;
    const std::string whole = contig.substr(0, static_cast<size_t>(allele.position)) + allele.alt +
                              contig.substr(static_cast<size_t>(allele.position + ref));
    const auto fetch = [&](int64_t from, int64_t to) { return cut(contig, from, to); };
    const auto left = edited(allele, start, end, Shared::left, fetch),
               right = edited(allele, start, end, Shared::right, fetch);
    ASSERT_EQ(left.bases, cut(whole, start, end));
    ASSERT_EQ(right.bases, cut(whole, start + longer, end + longer));
    const std::string original = cut(contig, start, end);
    for (const auto* text : {&left, &right}) {
      for (const auto& part : text->shared)
        ASSERT_EQ(text->bases.substr(static_cast<size_t>(part.to), static_cast<size_t>(part.length)),
                  original.substr(static_cast<size_t>(part.from), static_cast<size_t>(part.length)));
      const auto backward = reverse_complement(*text, end - start);
      ASSERT_EQ(backward.bases, genome::reverse_complement(text->bases));
      for (const auto& part : backward.shared)
        ASSERT_EQ(backward.bases.substr(static_cast<size_t>(part.to), static_cast<size_t>(part.length)),
                  genome::reverse_complement(original).substr(static_cast<size_t>(part.from),
                                                              static_cast<size_t>(part.length)));
    }
  }
}

TEST(Edit, AllelesLongerThanHalfOfTheIntervalDoNotFit) {
  Allele allele;
  allele.position = 50;
  allele.ref = "A";
  allele.alt = std::string(50, 'C');
  EXPECT_TRUE(fits(allele, 0, 100));
  allele.alt += 'C';
  EXPECT_FALSE(fits(allele, 0, 100));
}

}  // namespace
}  // namespace bigdna::variants
