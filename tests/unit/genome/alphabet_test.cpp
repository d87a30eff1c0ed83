#include "genome/alphabet.h"

#include "support.h"

namespace bigdna::genome {
namespace {

std::string normalised(std::string bases, InvalidBases invalid = InvalidBases::error) {
  normalise(bases, invalid, "f.fa", "chr1", 100);
  return bases;
}

TEST(Alphabet, EveryByte) {
  const std::string letters = "ACGTNacgtnUuRYSWKMBDHVXryswkmbdhvx", becomes = "ACGTNACGTNTT" + std::string(22, 'N');
  EXPECT_EQ(normalised(letters), becomes);
  for (int byte = 0; byte < 256; ++byte) {
    const std::string bases(1, static_cast<char>(byte));
    if (letters.find(bases) != std::string::npos) continue;
    EXPECT_TRUE(test::error_of([&] { normalised(bases); }).starts_with("f.fa: sequence chr1, position 101: ")) << byte;
    EXPECT_EQ(normalised(bases, InvalidBases::n), "N") << byte;
  }
}

TEST(Alphabet, MessagesGiveThePosition) {
  EXPECT_EQ(test::error_of([] { normalised(std::string(50000, 'a') + "E"); }),
            "f.fa: sequence chr1, position 50101: 'E' is not a nucleotide");
  EXPECT_EQ(test::error_of([] { normalised("AC GT"); }),
            "f.fa: sequence chr1, position 103: byte 32 is not a nucleotide");
}

TEST(Alphabet, ReverseComplement) {
  EXPECT_EQ(reverse_complement("AACGTN"), "NACGTT");
  EXPECT_EQ(reverse_complement(""), "");
  std::string bases = "GATTACA";
  reverse_complement_in_place(bases);
  EXPECT_EQ(bases, "TGTAATC");
  EXPECT_EQ(count_n("NANN"), 3);
}

}  // namespace
}  // namespace bigdna::genome
