#include "model/past.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "model/architecture.h"
#include "model/attention/backend.h"
#include "model_folder/stack.h"

namespace bigdna::model {
namespace {

/// Puts `row` [sequences, heads, 1, head size] behind the first `length` rows, and gives all of them.
at::Tensor append_row(std::vector<at::Tensor>& of_layers, size_t layer, int64_t length, const at::Tensor& row) {
  constexpr int64_t kRoom = 64;
  if (of_layers.size() <= layer) of_layers.resize(layer + 1);
  at::Tensor& kept = of_layers[layer];
  if (!kept.defined() || kept.size(2) == length) {
    at::Tensor wider = at::empty({row.size(0), row.size(1), std::max(kRoom, 2 * length), row.size(3)},
                                 row.options().dtype(at::kFloat));
    if (length > 0) wider.narrow(2, 0, length).copy_(kept);
    kept = wider;
  }
  kept.narrow(2, length, 1).copy_(row);
  return kept.narrow(2, 0, length + 1);
}

/// [heads, 1, length]: what the pattern adds to the scores of the last token, log of how often it attends to a key.
at::Tensor pattern_bias(const sparsity::PatternConfig& pattern, int64_t layer, int64_t heads, int64_t length) {
  const int64_t blocks = (length + pattern.block - 1) / pattern.block;
  const auto plan = plan_attention(pattern, layer, heads, {length}, blocks * pattern.block);
  at::Tensor bias = at::full({heads, 1, blocks}, -std::numeric_limits<float>::infinity(), at::kFloat);
  auto* row = bias.mutable_data_ptr<float>();
  for (const auto& layout : plan.layouts) {
    for (const int32_t key : layout->keys_of(blocks - 1)) row[key] = std::log(std::exp(row[key]) + 1);
    row += blocks;
  }
  return bias.repeat_interleave(pattern.block, 2).narrow(2, 0, length);
}

/// The tokens that a pass reads now: the new one of each sequence, or all.
Batch batch_of(const model_folder::ModelConfig& config, const Past& past, bool newest, const at::Device& device) {
  std::vector<corpus::Example> examples;
  for (const auto& ids : past.ids) {
    auto& example = examples.emplace_back();
    example.ids.assign(newest ? ids.end() - 1 : ids.begin(), ids.end());
    example.token_types.assign(example.ids.size(), 0);
    example.masked = {static_cast<int32_t>(example.ids.size()) - 1};
    example.masked_labels = {0};
  }
  return make_batch(examples, newest ? 1 : config.pattern.block, config.pad_id, device);
}

}  // namespace

bool keeps_keys(const model_folder::ModelConfig& config) {
  return config.attention == model_folder::AttentionConfig() && model_folder::stack(config).plain;
}

at::Tensor attend_to_past(const sparsity::PatternConfig& pattern, const at::Tensor& q, const at::Tensor& k,
                          const at::Tensor& v, int64_t layer, Past& past) {
  const auto place = static_cast<size_t>(layer);
  const at::Tensor keys = append_row(past.keys, place, past.length, k),
                   values = append_row(past.values, place, past.length, v);
  const double scale = 1 / std::sqrt(static_cast<double>(q.size(3)));
  const at::Tensor bias = pattern_bias(pattern, layer, q.size(1), past.length + 1).to(q.device());
  const at::Tensor weights = at::softmax(at::matmul(q.to(at::kFloat) * scale, keys.transpose(2, 3)) + bias, 3);
  return at::matmul(weights, values).to(q.scalar_type()).transpose(1, 2);
}

at::Tensor next_logits(const model_folder::ModelConfig& config, const Parameters& parameters,
                       std::span<const int32_t> ids, Past& past, const ForwardOptions& options) {
  if (past.length >= config.max_length) fail("the model reads no more than ", config.max_length, " tokens");
  for (size_t i = 0; i < ids.size(); ++i) past.ids[i].push_back(ids[i]);
  const bool keeps = keeps_keys(config);
  const Batch batch = batch_of(config, past, keeps, parameters.begin()->second.device());
  at::Tensor rows;
  if (keeps) {
    const auto pass = functions_of(config).pass(config, parameters, batch, options, &past);
    at::Tensor states = pass->embeddings();
    for (int64_t i = 0; i < config.layers; ++i) states = pass->layer(states, i);
    rows = pass->finish(states).select(1, 0).to(at::kFloat);
  } else {
    rows = encode_pretraining(config, parameters, batch, options).masked;
  }
  ++past.length;
  return mlm_logits(config, parameters, rows, at::arange(rows.size(0), batch.ids.options()), options);
}

}  // namespace bigdna::model
