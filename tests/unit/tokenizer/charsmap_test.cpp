#include "tokenizer/charsmap.h"

#include <gtest/gtest.h>
#include <sentencepiece_model.pb.h>
#include <sentencepiece_trainer.h>

#include <string>

#include "base/rng.h"
#include "tokenizer/sentencepiece_normaliser.h"

namespace bigdna::tokenizer {
namespace {

sentencepiece::NormalizerSpec rule(const std::string& name) {
  return sentencepiece::SentencePieceTrainer::GetNormalizerSpec(name);
}

TEST(Charsmap, TheLibrarysOwnTablesHaveNoFault) {
  EXPECT_EQ(fault_of_charsmap(""), "");
  for (const std::string name : {"nfkc", "nmt_nfkc", "nfkc_cf", "nmt_nfkc_cf"}) {
    const std::string table = rule(name).precompiled_charsmap();
    ASSERT_GT(table.size(), 1000u);
    EXPECT_EQ(fault_of_charsmap(table), "") << name;
    EXPECT_NE(fault_of_charsmap(table.substr(0, table.size() / 2)), "") << name;
    EXPECT_NE(fault_of_charsmap(table.substr(0, 4)), "");
    EXPECT_NE(fault_of_charsmap(table.substr(0, table.size() - 1)), "");
  }
}

TEST(Charsmap, WhatHasNoFaultIsFollowedWithinItsBounds) {
  const auto spec = rule("nfkc");
  const std::string table = spec.precompiled_charsmap();
  Rng rng(1);
  std::string texts;
  for (int i = 0; i < 4000; ++i) texts += static_cast<char>(1 + rng.below(255));
  int faults = 0, followed = 0;
  for (int round = 0; round < 300; ++round) {
    std::string damaged = table;
    for (uint64_t k = 0; k <= rng.below(4); ++k)
      damaged[4 + rng.below(damaged.size() - 4)] ^= static_cast<char>(1u << rng.below(8));
    if (!fault_of_charsmap(damaged).empty()) {
      ++faults;
      continue;
    }
    auto copy = spec;
    copy.set_precompiled_charsmap(damaged);
    const SentencePieceNormaliser normaliser(copy.SerializeAsString());
    followed += !normaliser(texts).text.empty();  // under preset asan an access out of bounds ends the test
  }
  EXPECT_GT(faults, 5);
  EXPECT_GT(followed, 5);
}

}  // namespace
}  // namespace bigdna::tokenizer
