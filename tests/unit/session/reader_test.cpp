#include "session/reader.h"

#include <gtest/gtest.h>

#include "session/small_model.h"

namespace bigdna::session {
namespace {

TEST(SequenceReader, ClsSequenceSep) {
  const SequenceReader reader(test::letters(), 16);
  const auto example = reader.example("ACGT");
  EXPECT_EQ(example.ids, (std::vector<int32_t>{2, 5, 6, 7, 8, 3}));
  EXPECT_EQ(example.token_types.size(), 6u);
  EXPECT_EQ(reader.truncated(), 0);
}

TEST(SequenceReader, CutsAroundItsAnchor) {
  const SequenceReader reader(test::letters(), 12), start(test::letters(), 12, 0), end(test::letters(), 12, 1);
  const auto bases = std::string(40, 'A') + "CCCCC" + "GGGGG" + std::string(40, 'T');
  const auto example = reader.example(bases);
  EXPECT_EQ(example.ids, (std::vector<int32_t>{2, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 3}));
  EXPECT_EQ(reader.truncated(), 1);
  EXPECT_EQ(start.example(bases).ids, (std::vector<int32_t>{2, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 3}));
  EXPECT_EQ(end.example(bases).ids[1], 8);
  EXPECT_EQ(end.example(bases, true).ids, start.example(bases).ids);  // the anchor lies as far from the other end
}

TEST(SequenceReader, ScalesAreTheTokensAroundTheAnchor) {
  const auto ranges = [&](const std::string& bases, int64_t max_length, double anchor) {
    std::vector<std::pair<int, int>> all;
    for (const auto& [first, last] : SequenceReader(test::letters(), max_length, anchor).example(bases).scales)
      all.emplace_back(first, last);
    return all;
  };
  using Ranges = std::vector<std::pair<int, int>>;
  // letters: base i is token i + 1
  EXPECT_EQ(ranges(std::string(2000, 'A'), 4000, 0.5), (Ranges{{501, 1501}, {901, 1101}}));
  EXPECT_EQ(ranges(std::string(2000, 'A'), 4000, 0), (Ranges{{1, 501}, {1, 101}}));
  EXPECT_EQ(ranges(std::string(2000, 'A'), 4000, 1), (Ranges{{1500, 2001}, {1900, 2001}}));
  EXPECT_EQ(ranges(std::string(2000, 'A'), 302, 0.5), (Ranges{{1, 301}, {51, 251}}));  // bases 850..1149 are kept
  EXPECT_EQ(ranges("ACG", 16, 0.5), (Ranges{{1, 4}, {1, 4}}));
  EXPECT_EQ(ranges("", 16, 0.5), (Ranges{{0, 2}, {0, 2}}));  // [CLS] [SEP]
}

TEST(SequenceReader, ATokenThatReachesIntoAScaleIsPartOfIt) {
  std::vector<tokenizer::Piece> pieces;
  for (const char* special : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) pieces.push_back({special, 0, true});
  float score = 0;
  for (const char* piece : {"AA", "AAAA", "A", "C", "G", "T", "N"}) pieces.push_back({piece, --score, false});
  const SequenceReader reader(tokenizer::Vocabulary(pieces, {}), 1000);
  // tokens of 4 bases; the 200 bp around base 301 are 201..400: from the token 200..203 to the one 400..403
  const auto example = reader.example(std::string(602, 'A'));
  EXPECT_EQ(example.scales[1].first, 1 + 50);
  EXPECT_EQ(example.scales[1].last, 1 + 101);
}

}  // namespace
}  // namespace bigdna::session
