#include "genome/packed_sequence.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace bigdna::genome {
namespace {

TEST(PackedSequence, UnpackingGivesTheBasesBack) {
  for (const char* bases : {"", "A", "N", "ACGT", "TTTTT", "NACGTN", "NNNNNNNNN", "ACGNNTGANNNNNNCCAN"})
    EXPECT_EQ(PackedSequence(bases).unpack(), bases);
  Rng rng(5);
  for (int length = 0; length < 300; ++length) {
    std::string bases;
    while (bases.size() < static_cast<size_t>(length)) {
      const char base = "ACGTN"[rng.below(5)];
      bases.append(static_cast<size_t>(rng.between(1, 9)), base);
    }
    bases.resize(static_cast<size_t>(length));
    EXPECT_EQ(PackedSequence(bases).unpack(), bases);
  }
}

}  // namespace
}  // namespace bigdna::genome
