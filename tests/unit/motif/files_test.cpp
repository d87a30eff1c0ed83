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
  EXPECT_EQ(read[0].columns, (std::vector<Column>{{0.5, 0.25, 0.25, 0}, {0, 0, 1, 0}}));
  EXPECT_EQ(read[0].sites, 4);
  EXPECT_EQ(read[1].columns, (std::vector<Column>{{0.25, 0.25, 0.25, 0.25}}));
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
         ":3: a line of 0 numbers where a has those of A, C, G and T");
  expect("MOTIF a\nletter-probability matrix: w= 1\n1 1 0 0\n", ":3: the probabilities add up to 2, not to 1");
  expect("MOTIF a\nletter-probability matrix: w= 1\n1 x 0 0\n", ":3: 'x' is not a number of 0 or more");
  expect("MOTIF a\nMOTIF b\n", ":2: a has no matrix");
  expect(">a\nA [1 2]\nC [1]\n", ":3: 1 counts, and 2 of A");
  expect(">a\nA [1]\nC [1]\n", ":3: a has 2 lines of counts, not one for each of A, C, G and T");
  expect(">a\nA [1]\nG [1]\n", ":3: counts of G where those of C belong");
  expect(">a\n0.7 0.1 0.1 0.1\n0.1 0.7 0.1 0.1\n0.1 0.7 0.1 0.1\n0.1 0.1 0.1 0.7\n",
         ":5: a has four lines of four numbers");
  expect("ALPHABET= ACDEFGHIKLMNPQRSTVWY\n", ":1: the alphabet is ACDEFGHIKLMNPQRSTVWY, not ACGT");
}

}  // namespace
}  // namespace bigdna::motif
