#include "model/encoder.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/index_select.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/rng.h"
#include "model/architecture.h"
#include "model/attention/attentions.h"
#include "model/attention/backend.h"
#include "model/stack.h"
#include "model_folder/architecture.h"
#include "model_folder/attention.h"
#include "model_folder/stack.h"
#include "sparsity/pattern.h"

namespace bigdna::model {
namespace {

constexpr std::array kArchitectures{&kBigBird, &kModern};  // in the order of model_folder::Architecture

/// Parameters that require gradients and whose names begin with `prefix`.
std::vector<at::Tensor> with_prefix(const Parameters& parameters, const std::string& prefix) {
  std::vector<at::Tensor> found;
  for (auto at = parameters.lower_bound(prefix); at != parameters.end() && at->first.starts_with(prefix); ++at)
    if (at->second.requires_grad()) found.push_back(at->second);
  return found;
}

void check_batch(const model_folder::ModelConfig& config, const Batch& batch) {
  const int64_t longest = *std::max_element(batch.lengths.begin(), batch.lengths.end());
  if (longest > config.max_length)
    fail("a sequence of ", longest, " tokens is longer than the model's ", config.max_length);
  if (batch.largest_id >= config.vocab_size)
    fail("token id ", batch.largest_id, " is outside the model's vocabulary of ", config.vocab_size);
}

std::string name_of_layer(const model_folder::ModelConfig& config, int64_t index) {
  return concat(model_folder::architecture(config).layer, index, ".");
}

}  // namespace

const ArchitectureFunctions& functions_of(const model_folder::ModelConfig& config) {
  return *kArchitectures[static_cast<size_t>(config.architecture)];
}

Pass::Pass(const model_folder::ModelConfig& config, const Parameters& parameters, const Batch& batch,
           const ForwardOptions& options, Past* past)
    : config_(config),
      parameters_(parameters),
      batch_(batch),
      options_(options),
      size_(batch.ids.size(0)),
      text_(batch.ids.size(1)),
      extra_(sparsity::extra_tokens(config.pattern)),
      n_(extra_ + text_),
      lengths_(batch.lengths),
      past_(past) {
  for (int64_t& length : lengths_) length += extra_;
}

at::Tensor Pass::text(const at::Tensor& hidden) const { return extra_ > 0 ? hidden.narrow(1, extra_, text_) : hidden; }

at::Tensor Pass::among_all(const at::Tensor& positions) const {
  return extra_ > 0 ? positions + (positions.div(text_, "floor") + 1) * extra_ : positions;
}

at::Tensor Pass::layer_at(const at::Tensor& input, int64_t index, const at::Tensor& positions) const {
  return rows_at(layer(input, index), positions);
}

at::Tensor Pass::attention_branch(const at::Tensor&, int64_t) const {
  fail("internal error: the architecture has no branches");
}

at::Tensor Pass::feed_forward_branch(const at::Tensor&, int64_t, int64_t) const {
  fail("internal error: the architecture has no branches");
}

const at::Tensor& Pass::of_stack(int64_t layer, const std::string& name) const {
  return parameter(parameters_, layer_name(layer) + model_folder::own_prefix(config_.stack.name) + name);
}

at::Tensor Pass::with_extra_tokens(const at::Tensor& text) const {
  if (extra_ == 0) return text;
  const at::Tensor& global = parameter(parameters_, "bigdna.global_embeddings.weight");
  return at::cat({global.unsqueeze(0).expand({size_, -1, -1}), text}, 1);
}

at::Tensor Pass::attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const at::Tensor& states,
                        int64_t index) const {
  const int64_t by_pattern = model_folder::pattern_heads(config_, index), others = config_.heads - by_pattern;
  std::vector<at::Tensor> parts;
  if (by_pattern > 0) {
    const auto first = [&](const at::Tensor& x) { return others > 0 ? x.narrow(1, 0, by_pattern) : x; };
    if (past_) return attend_to_past(config_.pattern, q, k, v, index, *past_).reshape({size_, n_, config_.hidden});
    const AttentionPlan plan = plan_attention(config_.pattern, index, by_pattern, lengths_, n_,
                                              config_.bidirectional_flanks ? batch_.prefixes : std::vector<int64_t>());
    const AttentionOptions options{options_.training ? config_.attention_dropout : 0,
                                   seed(index, Place::attention_weights), at::get_num_threads()};
    parts.push_back(backend(options_.backend).run(first(q), first(k), first(v), plan, options));
  }
  if (others > 0) {
    const auto rest = [&](const at::Tensor& x) { return x.narrow(1, by_pattern, others); };
    const AttentionCall call{.config = config_,
                             .parameters = parameters_,
                             .layer = index,
                             .q = {},
                             .k = {},
                             .v = {},
                             .states = {},
                             .prefix = layer_name(index),
                             .backend = options_.backend,
                             .training = options_.training,
                             .share = options_.share / static_cast<double>(size_)};
    parts.push_back(run_attention(call, rest(q), rest(k), rest(v), states, lengths_));
  }
  const at::Tensor out = parts.size() == 1 ? parts[0] : at::cat(parts, 1);
  return out.transpose(1, 2).reshape({size_, n_, config_.hidden});
}

at::Tensor Pass::keys_of(const at::Tensor& keys, const at::Tensor& queries, int64_t dimension) const {
  const int64_t own = keys.size(dimension), shared = queries.size(dimension) - own;
  return shared == 0 ? keys : at::cat({keys, queries.narrow(dimension, own, shared)}, dimension);
}

uint64_t Pass::seed(int64_t layer, Place place) const {
  return mix({options_.dropout_seed, static_cast<uint64_t>(layer), static_cast<uint64_t>(place)});
}

Dropout Pass::drop(int64_t layer, Place place, double probability) const {
  return {options_.training ? probability : 0, seed(layer, place)};
}

std::string Pass::layer_name(int64_t index) const {
  return name_of_layer(config_, model_folder::layer_of_run(config_, index));
}

at::Tensor rows_of_product(const at::Tensor& rows, at::ScalarType compute) {
  constexpr int64_t kMultiple = 32;
  const int64_t more = (kMultiple - rows.size(0) % kMultiple) % kMultiple;
  if (more == 0 || !rows.is_cpu() || compute != at::kBFloat16) return rows;
  std::vector<int64_t> padding(static_cast<size_t>(2 * rows.dim()), 0);  // from the last dimension to the first
  padding.back() = more;
  return at::constant_pad_nd(rows, padding);
}

at::Tensor rows_at(const at::Tensor& hidden, const at::Tensor& positions) {
  return hidden.reshape({-1, hidden.size(-1)}).index_select(0, positions);
}

namespace {

/// All rows, or those at `positions` if they are defined.
at::Tensor run_layers(const model_folder::ModelConfig& config, const Parameters& parameters, const Batch& batch,
                      const ForwardOptions& options, const at::Tensor& positions) {
  check_batch(config, batch);
  const auto pass = functions_of(config).pass(config, parameters, batch, options, nullptr);
  const int64_t all = model_folder::layer_runs(config), runs = options.layers < 0 ? all : std::min(options.layers, all);
  StackCall call{.pass = pass,
                 .runs = runs,
                 .parameters = {},
                 .recompute = options.recompute && at::GradMode::is_enabled(),
                 .read = positions.defined() ? pass->among_all(positions) : positions};
  for (int64_t i = 0; i < std::min(runs, config.layers); ++i)
    call.parameters.push_back(with_prefix(parameters, name_of_layer(config, i)));
  at::Tensor hidden = run_stack(config, call, pass->embeddings());
  if (runs == all) hidden = pass->finish(hidden);
  return (call.read.defined() ? hidden : pass->text(hidden)).to(at::kFloat);
}

}  // namespace

at::Tensor encode(const model_folder::ModelConfig& config, const Parameters& parameters, const Batch& batch,
                  const ForwardOptions& options) {
  return run_layers(config, parameters, batch, options, {});
}

PretrainingRows encode_pretraining(const model_folder::ModelConfig& config, const Parameters& parameters,
                                   const Batch& batch, const ForwardOptions& options) {
  const bool pairs = batch.targets.defined();
  const int64_t masked = batch.masked.numel();
  at::Tensor read = batch.masked;
  if (pairs) read = at::cat({read, at::arange(batch.size(), read.options()) * batch.ids.size(1)});
  const at::Tensor rows = run_layers(config, parameters, batch, options, rows_of_product(read, options.compute));
  PretrainingRows found{rows.narrow(0, 0, masked), {}};
  if (pairs) found.first = rows.narrow(0, masked, batch.size()).unsqueeze(1);
  return found;
}

}  // namespace bigdna::model
