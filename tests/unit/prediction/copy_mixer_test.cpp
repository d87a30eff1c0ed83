#include "prediction/copy_mixer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "base/rng.h"
#include "genome/alphabet.h"

namespace bigdna::prediction {
namespace {

/// The bases, and some longer pieces, whose merges are allowed.
tokenizer::Encoder encoder() {
  std::vector<tokenizer::Piece> pieces;
  for (const char* text : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) pieces.push_back({text, 0, true});
  float score = 0;
  for (const char* text : {"A", "C", "G", "T", "N", "AC", "GT", "AA", "ACGT", "TG"}) pieces.push_back({text, score--});
  return tokenizer::Encoder(tokenizer::Vocabulary(std::move(pieces), {}));
}

std::string random_bases(size_t size, uint64_t seed) {
  Rng rng(seed, 0);
  std::string bases;
  for (size_t i = 0; i < size; ++i) bases += genome::kBases[rng.below(4)];
  return bases;
}

const float kUniform = std::log2(10.F);  // bits by a model that gives each of the ten pieces a tenth

/// Bits of a record whose tokens have kUniform bits each by the model.
double bits_of(CopyMixer& mixer, const tokenizer::Encoder& encoder, const std::string& bases) {
  const auto encoding = encoder.encode(bases);
  double sum = 0;
  for (size_t i = 0; i < encoding.size(); ++i)
    sum += mixer.mix(encoding.ids[i], encoding.begins[i + 1] - encoding.begins[i], kUniform);
  mixer.end_record();
  return sum;
}

double model_bits(const tokenizer::Encoder& encoder, const std::string& bases) {
  return static_cast<double>(encoder.encode(bases).size()) * kUniform;
}

TEST(CopyMixer, ProbabilitiesOfAllTokensAddUpToOne) {
  const auto with = encoder();
  const auto& pieces = with.vocabulary().pieces();
  const std::string repeated = random_bases(300, 1);
  CopyMixer mixer(with);
  mixer.read(repeated + "N" + genome::reverse_complement(random_bases(200, 2)));
  const auto encoding = with.encode(repeated.substr(20, 100) + random_bases(200, 2).substr(30, 100));
  size_t told = 0;
  for (size_t i = 0; i < encoding.size(); ++i) {
    double sum = 0;
    for (size_t piece = 0; piece < pieces.size(); ++piece) {
      if (pieces[piece].special) continue;
      CopyMixer now = mixer;
      const auto id = static_cast<tokenizer::TokenId>(piece);
      sum += std::exp2(-now.mix(id, with.vocabulary().bases(id), kUniform));
      told += now.told() > mixer.told();
    }
    EXPECT_NEAR(sum, 1, 1e-5);
    mixer.mix(encoding.ids[i], encoding.begins[i + 1] - encoding.begins[i], kUniform);
  }
  EXPECT_GT(told, 500);
}

TEST(CopyMixer, RepeatsOnBothStrandsAreCheap_OtherSequenceCostsAsMuchAsBefore) {
  const auto with = encoder();
  const std::string first = random_bases(3000, 1), other = random_bases(3000, 2);
  CopyMixer mixer(with);
  EXPECT_NEAR(bits_of(mixer, with, first), model_bits(with, first), 10);
  EXPECT_LT(bits_of(mixer, with, first), 0.1 * model_bits(with, first));
  EXPECT_LT(bits_of(mixer, with, genome::reverse_complement(first)), 0.1 * model_bits(with, first));
  EXPECT_NEAR(bits_of(mixer, with, other), model_bits(with, other), 10);
  EXPECT_GT(mixer.right(), 0.95 * static_cast<double>(mixer.told()));
}

TEST(CopyMixer, AChangedBaseEndsNoCopy) {
  const auto with = encoder();
  const std::string first = random_bases(3000, 1);
  std::string changed = first;
  for (size_t i = 50; i < changed.size(); i += 100) changed[i] = changed[i] == 'A' ? 'C' : 'A';
  CopyMixer mixer(with);
  mixer.read(first);
  mixer.end_record();
  EXPECT_LT(bits_of(mixer, with, changed), 0.3 * model_bits(with, changed));
}

TEST(CopyMixer, WhatWasReadUnscoredIsKnownAsWell_AndANaNStays) {
  const auto with = encoder();
  const std::string first = random_bases(2000, 1);
  const auto encoding = with.encode(first);
  CopyMixer read(with), scored(with);
  read.read(first);
  read.end_record();
  for (size_t i = 0; i < encoding.size(); ++i)
    EXPECT_TRUE(std::isnan(scored.mix(encoding.ids[i], encoding.begins[i + 1] - encoding.begins[i],
                                      std::numeric_limits<float>::quiet_NaN())));
  scored.end_record();
  EXPECT_EQ(scored.told(), 0);
  EXPECT_EQ(bits_of(read, with, first), bits_of(scored, with, first));
}

TEST(CopyIndex, FindsTheLatestPlacesOnBothStrandsAndNothingAcrossN) {
  const std::string once = random_bases(40, 3), last = once.substr(10, 20);
  CopyIndex index;
  index.append(once + "N" + genome::reverse_complement(once) + "N" + random_bases(100, 4) + "N" + last);
  const auto copies = index.latest();
  ASSERT_FALSE(copies.empty());
  bool direct = false, inverted = false;
  for (const auto& [place, match] : copies) {
    EXPECT_EQ(index.following(place, 4), once.substr(30, 4));
    EXPECT_EQ(match.run, 20);
    (place.inverted ? inverted : direct) = true;
  }
  EXPECT_TRUE(direct && inverted);
  EXPECT_EQ(index.following(copies.front().place, 100), once.substr(30));
  index.append("N");
  EXPECT_TRUE(index.latest().empty());
}

TEST(CopyIndex, GrowsWithoutLosingPlaces) {
  CopyIndex index;
  const std::string all = random_bases(20'000, 5);
  for (size_t at = 0; at < all.size(); at += 7) index.append(all.substr(at, 7));
  size_t found = 0;
  for (size_t at = 100; at + 40 < all.size(); at += 400) {
    CopyIndex now = index;
    now.append("N" + all.substr(at, 24));
    for (const auto& copy : now.latest()) found += now.following(copy.place, 12) == all.substr(at + 24, 12) ? 1 : 0;
  }
  EXPECT_GE(found, 2 * (all.size() - 140) / 400);
}

}  // namespace
}  // namespace bigdna::prediction
