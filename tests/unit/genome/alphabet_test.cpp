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

TEST(Alphabet, CodesAreThePlacesOfBases) {
  for (int code = 0; code < 4; ++code) EXPECT_EQ(base_code("ACGT"[code]), code);
  for (const char other : {'N', 'a', 'U', '-', '\xff'}) EXPECT_EQ(base_code(other), -1) << other;
}

TEST(Alphabet, PaddedIsNPastTheEnds) {
  EXPECT_EQ(padded("ACGT", 1, 3), "CG");
  EXPECT_EQ(padded("ACGT", -2, 6), "NNACGTNN");
  EXPECT_EQ(padded("ACGT", -3, -1), "NN");
  EXPECT_EQ(padded("ACGT", 5, 7), "NN");
  EXPECT_EQ(padded("", 0, 1), "N");
  EXPECT_EQ(padded("ACGT", 2, 2), "");
}

TEST(Alphabet, SubstitutionsAreEachOtherBase) {
  EXPECT_EQ(substitutions("ANC", 0, 1), (std::vector<std::string>{"CNC", "GNC", "TNC"}));
  EXPECT_EQ(substitutions("ANC", 1, 3), (std::vector<std::string>{"AAC", "ACC", "AGC", "ATC", "ANA", "ANG", "ANT"}));
  EXPECT_TRUE(substitutions("ANC", 2, 2).empty());
}

}  // namespace
}  // namespace bigdna::genome
