#include "context_mixing/past_mixer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "dna.h"
#include "genome/alphabet.h"

namespace bigdna::context_mixing {
namespace {

using test::random_bases;

/// A mixer, and a model that gives every token the same probability, given that it is of bases.
struct Uniform {
  tokenizer::Encoder with{test::vocabulary_of({"A", "C", "G", "T", "N", "AC", "GT", "AA", "ACGT", "TG"})};
  tokenizer::TokenTree tree{with.vocabulary()};
  std::vector<float> logits = std::vector<float>(static_cast<size_t>(with.vocabulary().size()));
  PastMixer mixer{with, tree};

  float mix(PastMixer& by, tokenizer::TokenId token) const {
    return by.mix(token, with.vocabulary().bases(token), tree.predict(logits, token).steps);
  }
  /// Bits of a record.
  double bits_of(const std::string& bases) {
    double sum = 0;
    for (const auto token : with.encode(bases).ids) sum += mix(mixer, token);
    mixer.end_record();
    return sum;
  }
  double model_bits(const std::string& bases) const {
    return static_cast<double>(with.encode(bases).size()) *
           std::log2(static_cast<double>(with.vocabulary().base_tokens().size()));
  }
};

TEST(CopyShare, CountsOnInLongSequence) {
  CopyShare share;
  for (int i = 0; i < 40'000'000; ++i) share.add(i % 4 == 0);
  EXPECT_NEAR(share.value(), 0.25, 0.01);
}

TEST(PastMixer, ProbabilitiesOfAllTokensAddUpToOne) {
  Uniform uniform;
  const std::string repeated = random_bases(300, 1), other = random_bases(200, 2);
  uniform.mixer.read(repeated + "N" + genome::reverse_complement(other));
  size_t told = 0;
  const auto ids = uniform.with.encode(repeated.substr(20, 40) + other.substr(30, 20)).ids;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i % 10 != 5) {  // each copy of the mixer takes time
      uniform.mix(uniform.mixer, ids[i]);
      continue;
    }
    double sum = 0;
    for (const auto token : uniform.with.vocabulary().base_tokens()) {
      PastMixer now = uniform.mixer;
      sum += std::exp2(-uniform.mix(now, token));
      told += now.told() > uniform.mixer.told();
    }
    EXPECT_NEAR(sum, 1, 1e-5);
    uniform.mix(uniform.mixer, ids[i]);
  }
  EXPECT_GT(told, 20U);
}

TEST(PastMixer, RepeatsOnBothStrandsAreCheap_OtherSequenceCostsAsMuchAsCountsOfIt) {
  Uniform uniform;
  const std::string first = random_bases(3000, 1), other = random_bases(3000, 2);
  const double alone = uniform.model_bits(first);
  const double bits = uniform.bits_of(first);
  EXPECT_LT(bits, alone);                                   // tokens are not equally frequent
  EXPECT_GT(bits, 2. * static_cast<double>(first.size()));  // and bases are random
  EXPECT_LT(uniform.bits_of(first), 0.1 * alone);
  EXPECT_LT(uniform.bits_of(genome::reverse_complement(first)), 0.1 * alone);
  EXPECT_NEAR(uniform.bits_of(other), bits, 0.05 * bits);
  EXPECT_GT(uniform.mixer.right(), 0.9 * static_cast<double>(uniform.mixer.told()));
}

TEST(PastMixer, AChangedBaseEndsNoCopy) {
  Uniform uniform;
  const std::string first = random_bases(3000, 1);
  std::string changed = first;
  for (size_t i = 50; i < changed.size(); i += 100) changed[i] = changed[i] == 'A' ? 'C' : 'A';
  uniform.mixer.read(first);
  uniform.mixer.end_record();
  EXPECT_LT(uniform.bits_of(changed), 0.3 * uniform.model_bits(changed));
}

TEST(PastMixer, WhatWasReadUnscoredIsKnownAsWell_AndHasNoBits) {
  Uniform read, unscored;
  const std::string first = random_bases(2000, 1);
  read.mixer.read(first);
  read.mixer.end_record();
  for (const auto token : unscored.with.encode(first).ids)
    EXPECT_TRUE(std::isnan(unscored.mixer.mix(token, unscored.with.vocabulary().bases(token), {})));
  unscored.mixer.end_record();
  EXPECT_EQ(unscored.mixer.told(), 0);
  EXPECT_EQ(read.bits_of(first), unscored.bits_of(first));
}

}  // namespace
}  // namespace bigdna::context_mixing
