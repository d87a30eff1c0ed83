/// What the tests of the table of attentions share.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "model/attention/attentions.h"
#include "model_folder/attention.h"
#include "model_support.h"

namespace bigdna::model {

/// Settings small enough that short sequences meet every case; the defaults for rows that are not named.
inline std::map<std::string, std::string> small_settings() {
  return {{"performer", "features=12"}, {"linformer", "rank=6"},     {"compressed", "stride=3"},
          {"axial", "width=0"},         {"lsh", "chunk=8,rounds=3"}, {"routing", "clusters=5"},
          {"span", "limit=40,ramp=6"},  {"inducing", "points=6"},    {"etc", "radius=5,labels=3"},
          {"prior", "slowest=3"},       {"xl", "reach=9"},           {"compressive", "memory=5,rate=4,compressed=3"},
          {"tree", "near=2"},           {"sinkhorn", "blocks=5"}};
}

/// Every row but `blocks`, with every word of its settings.
inline std::vector<std::string> attention_variants() {
  std::vector<std::string> variants;
  const auto settings = small_settings();
  for (const auto& row : model_folder::attentions().subspan(1)) {
    const auto found = settings.find(std::string(row.name));
    const std::string base = std::string(row.name) + (found == settings.end() ? "" : ":" + found->second),
                      comma = found == settings.end() ? ":" : ",";
    std::vector<std::string> with{base};
    for (const auto& setting : row.settings) {
      if (setting.words.empty()) continue;
      with.clear();
      for (double word = 0; word <= setting.most; ++word)
        with.push_back(base + comma + std::string(setting.name) + "=" + model_folder::setting_text(setting, word));
    }
    variants.insert(variants.end(), with.begin(), with.end());
  }
  return variants;
}

/// A small model of three layers, two of which use the attention in one of two heads.
inline model_folder::ModelConfig config_with(
    const std::string& attention, model_folder::Architecture architecture = model_folder::Architecture::bigbird) {
  auto config = small_config(4, architecture);
  config.layers = 3;
  config.dropout = config.attention_dropout = 0;
  config.attention = model_folder::attention_from(attention, config.heads);
  model_folder::check(config);
  return config;
}

/// One call in double precision, with three heads of 8 that all use the attention; with a pattern that has extra
/// tokens, these are the first of the `n`.
struct OneSequence {
  model_folder::ModelConfig config;
  Parameters parameters;
  AttentionCall call;

  OneSequence(const std::string& attention, int64_t n, int64_t layer, int64_t longest = 512,
              const sparsity::PatternConfig& pattern = small_config().pattern)
      : config(config_of(attention, longest, pattern)),
        call{.config = config,
             .parameters = parameters,
             .layer = layer,
             .q = {},
             .k = {},
             .v = {},
             .states = {},
             .prefix = "bert.encoder.layer." + std::to_string(layer) + "."} {
    for (const auto& [name, value] : initialise(config, 5))
      if (name.starts_with(call.prefix) && model_folder::own_parameter(name))
        parameters[name] = (value.to(at::kDouble) + 0.1 * random_tensor(value.sizes(), 7).to(at::kDouble));
    for (auto& [name, value] : parameters)
      if (model_folder::own_parameter(name)->update == model_folder::Update::clamped) value.abs_();
    call.q = random_tensor({3, n, 8}, 1).to(at::kDouble);
    call.k = random_tensor({3, n, 8}, 2).to(at::kDouble);
    call.v = random_tensor({3, n, 8}, 3).to(at::kDouble);
    call.states = random_tensor({1, n, 24}, 4).to(at::kDouble);
  }
  OneSequence(const OneSequence&) = delete;

  at::Tensor run() const { return attention_runs()[model_folder::attention_index(config)].run(call); }
  /// What gradients are taken of.
  std::map<std::string, at::Tensor> leaves() {
    std::map<std::string, at::Tensor> all{{"q", call.q}, {"k", call.k}, {"v", call.v}, {"states", call.states}};
    for (const auto& [name, value] : parameters) all[name] = value;
    return all;
  }

 private:
  static model_folder::ModelConfig config_of(const std::string& attention, int64_t longest,
                                             const sparsity::PatternConfig& pattern) {
    auto config = small_config();
    config.pattern = pattern;
    if (config.is_causal()) config.head = "mlm";
    config.layers = 3, config.heads = 3, config.hidden = 24, config.max_length = longest;
    config.attention_dropout = 0;
    config.attention = model_folder::attention_from(attention, config.heads);
    config.attention.settings["local"] = 0;
    model_folder::check(config);
    return config;
  }
};

/// Sets the parameters with which a row is full attention, where its settings alone do not make it that.
inline void prepare_for_dense(OneSequence& one) {
  for (auto& [name, value] : one.parameters) {
    const auto* own = model_folder::own_parameter(name);
    if (own->start == model_folder::Start::mean)
      value = at::eye(value.size(-1), value.options()).expand(value.sizes()).contiguous();
    if (own->start == model_folder::Start::constant) value.fill_(own->update == model_folder::Update::clamped ? 1 : 50);
    if (value.dim() == 2) value = at::eye(value.size(0), value.size(1), value.options());
  }
}

/// softmax(q k^T / sqrt(d)) v.
inline at::Tensor full_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
  const at::Tensor scores = at::matmul(q, k.transpose(1, 2)) / std::sqrt(static_cast<double>(q.size(2)));
  return at::matmul(at::softmax(scores, 2), v);
}

/// Full attention as the row has it: lsh on its queries as keys, without the token itself; routing on normalised ones.
inline at::Tensor dense_oracle(const OneSequence& one) {
  const at::Tensor &q = one.call.q, &k = one.call.k, &v = one.call.v;
  const auto& row = model_folder::attention(one.config);
  if (row.shares_queries) {
    at::Tensor scores = at::matmul(q, (q / q.norm(2, at::IntArrayRef{2}, true)).transpose(1, 2));
    scores = scores.masked_fill(at::eye(q.size(1), at::kBool), -1e5);
    return at::matmul(at::softmax(scores, 2), v);
  }
  const auto normed = [](const at::Tensor& x) { return at::layer_norm(x, {x.size(2)}); };
  return row.discrete ? full_attention(normed(q), normed(k), v) : full_attention(q, k, v);
}

}  // namespace bigdna::model
