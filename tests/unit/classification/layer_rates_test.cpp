#include "classification/layer_rates.h"

#include <gtest/gtest.h>

namespace bigdna::classification {
namespace {

TEST(LayerRates, FallTowardsTheEmbeddings) {
  const LayerRates rates{.decay = 0.5, .frozen = 0, .head_factor = 10};
  EXPECT_EQ(rates.factor("classifier.out_proj.weight", 12), 10);
  EXPECT_EQ(rates.factor("bert.encoder.layer.11.output.dense.bias", 12), 0.5);
  EXPECT_EQ(rates.factor("bert.encoder.layer.1.output.dense.bias", 12), 1.0 / 2048);
  EXPECT_EQ(rates.factor("bert.encoder.layer.0.output.dense.bias", 12), 1.0 / 4096);
  EXPECT_EQ(rates.factor("bert.embeddings.LayerNorm.weight", 12), 1.0 / 8192);
  EXPECT_EQ(rates.factor("bigdna.global_embeddings.weight", 12), 1.0 / 8192);
  EXPECT_EQ(LayerRates().factor("bert.embeddings.LayerNorm.weight", 12), 1);
}

TEST(LayerRates, FreezeFromBelow) {
  const LayerRates rates{.decay = 1, .frozen = 10};
  EXPECT_EQ(rates.factor("bert.embeddings.word_embeddings.weight", 12), 0);
  EXPECT_EQ(rates.factor("bert.encoder.layer.9.output.dense.bias", 12), 0);
  EXPECT_EQ(rates.factor("bert.encoder.layer.10.output.dense.bias", 12), 1);
  EXPECT_EQ(rates.factor("classifier.out_proj.bias", 12), 1);
}

}  // namespace
}  // namespace bigdna::classification
