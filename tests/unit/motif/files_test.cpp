#include "motif/files.h"

#include <gtest/gtest.h>

#include "io/output.h"
#include "support.h"

namespace bigdna::motif {
namespace {

TEST(MotifFiles, MemeIsReadAsItIsWritten) {
  const test::TempDir dir;
  const std::vector<Motif> motifs{{"CTCF", "MA0139.1", {{0.25, 0.5, 0.125, 0.125}, {1, 0, 0, 0}}, 20},
                                  {"other", "", {{0, 0, 0, 1}}, 3}};
  const auto path = dir / "a.meme";
  io::write_file(path, meme_text(motifs, {0.3, 0.2, 0.2, 0.3}));
  const auto read = read_motifs(path);
  ASSERT_EQ(read.size(), 2);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read[i].name, motifs[i].name);
    EXPECT_EQ(read[i].other_name, motifs[i].other_name);
    EXPECT_EQ(read[i].columns, motifs[i].columns);
    EXPECT_EQ(read[i].sites, motifs[i].sites);
  }
}

TEST(MotifFiles, JasparAndRawCountsBecomeProbabilities) {
  const test::TempDir dir;
  const auto path = dir / "a.jaspar";
  io::write_file(path, ">MA0001.1\tfirst\nA  [ 2 0 ]\nC  [ 1 0 ]\nG  [ 1 4 ]\nT  [ 0 0 ]\n>second\n1\n1\n1\n1\n");
  const auto read = read_motifs(path);
  ASSERT_EQ(read.size(), 2);
  EXPECT_EQ(read[0].name, "MA0001.1");
  EXPECT_EQ(read[0].other_name, "first");
  EXPECT_EQ(read[0].columns, (std::vector<BaseProbabilities>{{0.5, 0.25, 0.25, 0}, {0, 0, 1, 0}}));
  EXPECT_EQ(read[0].sites, 4);
  EXPECT_EQ(read[1].columns, (std::vector<BaseProbabilities>{{0.25, 0.25, 0.25, 0.25}}));
}

TEST(MotifFiles, NamesMayHaveBracketsAndEqualOnesAreNamed) {
  const test::TempDir dir;
  const auto read = [&](const std::string& text) {
    io::write_file(dir / "m", text);
    testing::internal::CaptureStderr();
    auto motifs = read_motifs(dir / "m");
    return std::pair(std::move(motifs), testing::internal::GetCapturedStderr());
  };
  const auto [jaspar, nothing] = read(">HOX[A1] first\nA[1]\nC [1 ]\nG [ 1]\nU 1\n>HOX[A2]\n1\n1\n1\n1\n");
  ASSERT_EQ(jaspar.size(), 2);
  EXPECT_EQ(jaspar[0].name, "HOX[A1]");
  EXPECT_EQ(jaspar[0].other_name, "first");
  EXPECT_EQ(jaspar[1].name, "HOX[A2]");
  EXPECT_EQ(nothing, "");
  const std::string one = "letter-probability matrix: alength=4 w=1 nsites=7\n1 0 0 0\nURL x\n";
  const auto [meme, said] = read("MOTIF C[1] [x]\n" + one + "MOTIF C[1]\n" + one);
  EXPECT_EQ(meme[0].name, "C[1]");
  EXPECT_EQ(meme[0].other_name, "[x]");
  EXPECT_EQ(meme[1].sites, 7);
  EXPECT_NE(said.find(": 1 name is used by several motifs, which cannot be distinguished in the output: C[1]"),
            std::string::npos);
}

TEST(MotifFiles, FourPositionsOfJasparHaveTheirLetters) {
  const test::TempDir dir;
  io::write_file(dir / "m",
                 ">a\nA 2 94 2 2\nC 2 2 94 2\nG 94 2 2 2\nT 2 2 2 94\n>b\n9 1 0 0\n1 9 0 0\n0 0 5 0\n0 0 5 10\n");
  const auto read = read_motifs(dir / "m");
  EXPECT_EQ(consensus(read[0]), "GACT");
  EXPECT_EQ(read[1].columns[1], (BaseProbabilities{0.1, 0.9, 0, 0}));  // columns add up to 10, lines do not
}

TEST(MotifFiles, ErrorsNameFileAndLine) {
  const test::TempDir dir;
  const auto expect = [&](const std::string& text, const std::string& message) {
    const auto path = dir / "bad";
    io::write_file(path, text);
    EXPECT_TRUE(test::error_of([&] { read_motifs(path); }).starts_with(path + message)) << message;
  };
  expect("nothing here\n", ": has no motif");
  expect("MOTIF a\nletter-probability matrix: w= 2\n1 0 0 0\n",
         ":3: a line of 0 numbers where a has a number for each of A, C, G and T");
  expect("MOTIF a\nletter-probability matrix: w= 1\n1 1 0 0\n", ":3: the probabilities add up to 2, not to 1");
  expect("MOTIF a\nletter-probability matrix: w= 1\n1 x 0 0\n", ":3: 'x' is not a number of 0 or more");
  expect("MOTIF a\nMOTIF b\n", ":2: a has no matrix");
  expect(">a\nA [1 2]\nC [1]\n", ":3: 1 counts, and 2 of A");
  expect(">a\nA [1]\nC [1]\n", ":3: a has 2 lines of counts, not one for each of A, C, G and T");
  expect(">a\nA [1]\nG [1]\n", ":3: counts of G where the counts of C belong");
  const std::string counts = "\n2 2 94 2\n94 2 2 2\n2 94 2 2\n2 2 2 94\n";
  expect(">a\n0.7 0.1 0.1 0.1\n0.1 0.7 0.1 0.1\n0.1 0.7 0.1 0.1\n0.1 0.1 0.1 0.7\n",
         ":5: a has four lines of four numbers. The sums of the lines differ less than the sums of the columns");
  expect(">a\n70 10 10 10\n10 70 10 10\n10 70 10 10\n10 10 10 70\n>b\n1\n1\n1\n1\n",
         ":6: a has four lines of four numbers. The sums of the lines differ less");
  expect(">a" + counts, ":5: a has four lines of four numbers. Each line and each column adds up to nearly the same");
  expect(">M\n2 3 90 2\n1 4 88 3\n2 3 95 0\n3 80 5 4\n",
         ":5: M has four lines of four numbers. The sums of the lines differ less than the sums of the columns");
  expect("ALPHABET=ACDEFGHIKLMNPQRSTVWY\n", ":1: the alphabet is ACDEFGHIKLMNPQRSTVWY, not ACGT");
  expect("MOTIF a\nletter-probability matrix: w= 1\n1 0 0 0\n\n0 1 0 0\n", ":5: a has w= 1, but its matrix goes on");
  expect("MOTIF a\nletter-probability matrix: w= 0\n1 0 0 0\n", ":2: w= 0 is not a number of positions");
  expect("MOTIF a\nletter-probability matrix: w= x\n1 0 0 0\n", ":2: w= 'x' is not a number");
  expect("MOTIF a\nletter-probability matrix: alength= 20 w= 1\n1 0 0 0\n", ":2: alength= 20, not 4");
  expect("MOTIF a\nletter-probability matrix: w= 1 nsites= -3\n1 0 0 0\n", ":2: nsites= -3 is negative");
  expect(">a\nA [1]\nU [1]\nG [1]\nT [1]\n", ":3: counts of U where the counts of C belong");
  expect(">a\nA [1 0]\nC [1 0]\nG [1 0]\nT [1 0]\n", ":5: a has no counts in column 2");
  expect("ALPHABET= ACDEFGHIKLMNPQRSTVWY\n", ":1: the alphabet is ACDEFGHIKLMNPQRSTVWY, not ACGT");
}

}  // namespace
}  // namespace bigdna::motif
