#include "model/past.h"

#include <ATen/ops/arange.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "model_folder/stack.h"
#include "model_support.h"

namespace bigdna::model {
namespace {

using model_folder::Architecture;

model_folder::ModelConfig causal_config(const sparsity::PatternConfig& pattern, Architecture architecture) {
  auto config = small_config(4, architecture);
  config.head = "mlm";
  config.pattern = pattern;
  config.max_length = 45;
  config.initializer_range = 0.3;
  return config;
}

/// The largest difference between logits that follow from one token after the other and those of a whole pass, over the
/// largest of these.
double difference_from_pass(const model_folder::ModelConfig& config) {
  model_folder::check(config);
  const auto parameters = initialise(config, 5);
  std::vector<corpus::Example> examples;
  for (const uint64_t seed : {1, 2, 3}) {
    examples.push_back(random_example(config.max_length, seed));
    examples.back().token_types.assign(examples.back().ids.size(), 0);
  }
  const Batch batch = make_batch(examples, config.pattern.block, config.pad_id, at::kCPU);
  const at::Tensor states = encode(config, parameters, batch, {});
  const int64_t padded = batch.ids.size(1);
  Past past(3);
  double most = 0, largest = 0;
  for (int64_t at = 0; at < config.max_length; ++at) {
    std::vector<int32_t> ids;
    for (const auto& example : examples) ids.push_back(example.ids[static_cast<size_t>(at)]);
    const at::Tensor logits = next_logits(config, parameters, ids, past, {});
    const at::Tensor expected = mlm_logits(config, parameters, states, at::arange(3) * padded + at);
    most = std::max(most, max_difference(logits, expected));
    largest = std::max(largest, expected.abs().max().item<double>());
  }
  EXPECT_EQ(past.length, config.max_length);
  EXPECT_THROW(next_logits(config, parameters, std::vector<int32_t>(3, 5), past, {}), Error);
  EXPECT_GT(largest, 0.1);
  return most / largest;
}

TEST(Past, LogitsAreThoseOfAWholePassForEveryCausalPattern) {
  for (const auto architecture : {Architecture::bigbird, Architecture::modern})
    for (const auto& row : sparsity::patterns())
      if (row.not_causal.empty()) {
        const sparsity::PatternConfig pattern{.name = std::string(row.name),
                                              .block = 4,
                                              .stride = row.reads & sparsity::kReadsStride ? 3 : 0,
                                              .seed = 3,
                                              .causal = true};
        const auto config = causal_config(pattern, architecture);
        EXPECT_TRUE(keeps_keys(config));
        EXPECT_LT(difference_from_pass(config), 1e-5) << row.name;
      }
}

TEST(Past, OtherStacksAndAttentionsReadEverythingAgain) {
  const sparsity::PatternConfig pattern{.name = "window", .block = 4, .causal = true};
  for (const auto& row : model_folder::stacks()) {
    auto config = causal_config(pattern, Architecture::modern);
    config.stack = model_folder::stack_from(row.name);
    EXPECT_EQ(keeps_keys(config), row.plain);
    EXPECT_LT(difference_from_pass(config), 1e-5) << row.name;
  }
  auto config = causal_config(pattern, Architecture::modern);
  config.attention_dropout = 0;
  config.attention = model_folder::attention_from("span", config.heads);
  EXPECT_FALSE(keeps_keys(config));
  EXPECT_LT(difference_from_pass(config), 1e-5);
}

}  // namespace
}  // namespace bigdna::model
