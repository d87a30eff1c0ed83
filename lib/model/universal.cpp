/// Universal Transformer (Dehghani et al. 2019): the layers are repeated, and each repetition adds a time
/// signal of its own. With adaptive computation time (Graves 2016) each token halts by itself: its result is the mean
/// of its states after each step, weighted by how far it was inclined to halt there, and the others see its last one.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <c10/core/ScalarType.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "model/attention/side_loss.h"
#include "model/stack.h"
#include "model_folder/stack.h"

namespace bigdna::model {
namespace {

/// The tokens of a batch, which halt one after the other. No number depends on another token.
class Halting {
 public:
  Halting(const Pass& pass, const at::Tensor& states)
      : pass_(pass),
        type_(c10::promoteTypes(states.scalar_type(), at::kFloat)),
        lengths_(at::tensor(pass.lengths(), at::kLong).to(states.device())),
        running_(at::arange(states.size(1), lengths_.options()).unsqueeze(0).lt(lengths_.unsqueeze(1))),
        inclined_(at::zeros(running_.sizes(), states.options().dtype(type_).requires_grad(false))),
        rest_(inclined_),
        steps_(at::zeros_like(running_, at::kLong)),
        result_(at::zeros(states.sizes(), inclined_.options())) {}

  bool any_runs() const { return running_.any().item<bool>(); }

  /// The states that the next step begins with: `after` this one, or `before` it for tokens that had halted.
  at::Tensor after_step(const at::Tensor& before, const at::Tensor& after, bool last) {
    const at::Tensor states = after.to(type_), ran = running_.unsqueeze(2);
    const at::Tensor inclination = at::sigmoid((states * own("weight")).sum(-1) + own("offset")),
                     sum = inclined_ + inclination, left = 1 - inclined_;
    const at::Tensor enough = last ? at::ones_like(running_) : sum.ge(1 - pass_.config().stack.at("epsilon"));
    const at::Tensor halts = running_.logical_and(enough);
    steps_ = steps_ + running_;
    running_ = running_.logical_and(enough.logical_not());
    const at::Tensor weight = at::where(halts, left, at::where(running_, inclination, at::zeros_like(left)));
    result_ = result_ + weight.unsqueeze(2) * states;
    rest_ = at::where(halts, left, rest_);
    inclined_ = at::where(running_, sum, inclined_);
    return at::where(ran, after, before);
  }

  void count_into(HaltingSteps& all) const {
    const auto& tokens = pass_.lengths();
    all.add({std::accumulate(tokens.begin(), tokens.end(), int64_t{0}), steps_.sum().item<int64_t>(),
             steps_.max().item<int64_t>()});
  }

  /// The weighted means. In training the loss gets the ponder cost through them: the mean, over the tokens of a
  /// sequence, of the number of steps, which is whole and has no gradient, and of what was left for the last one.
  at::Tensor result(at::ScalarType type) const {
    const at::Tensor result = result_.to(type);
    const double cost = pass_.config().stack.at("ponder");
    if (!pass_.options().training || !c10::GradMode::is_enabled() || cost == 0) return result;
    const double share = pass_.options().share / static_cast<double>(result.size(0));
    return add_loss(result, (rest_.sum(1) / lengths_).sum() * (cost * share));
  }

 private:
  at::Tensor own(const char* name) const { return pass_.of_stack(pass_.config().layers - 1, name).to(type_); }

  const Pass& pass_;
  at::ScalarType type_;
  at::Tensor lengths_;
  at::Tensor running_;   // [batch, n]: tokens, not padding, that have not halted
  at::Tensor inclined_;  // [batch, n]: the sum of inclinations of the steps before the last one
  at::Tensor rest_;      // [batch, n]: the weight of the last step
  at::Tensor steps_;     // [batch, n]: steps so far, int64
  at::Tensor result_;    // [batch, n, hidden]: the sum of weighted states
};

}  // namespace

void HaltingSteps::add(const HaltingSteps& other) {
  tokens += other.tokens, sum += other.sum, most = std::max(most, other.most);
}

at::Tensor time_signal(int64_t step, int64_t hidden) {
  const at::Tensor powers = at::arange((hidden + 1) / 2, at::kDouble) * (2 / static_cast<double>(hidden));
  const at::Tensor angles = static_cast<double>(step) * at::pow(10'000.0, -powers);
  return at::stack({angles.sin(), angles.cos()}, 1).view({-1}).narrow(0, 0, hidden);
}

at::Tensor universal_layers(const StackCall& call, const at::Tensor& embeddings) {
  const Pass& pass = *call.pass;
  const auto& config = pass.config();
  const int64_t all = model_folder::layer_runs(config);
  StackCall whole = call;
  whole.read = at::Tensor();  // every step needs all rows
  std::optional<Halting> halting;
  if (config.stack.at("halting") != 0) halting.emplace(pass, embeddings);
  at::Tensor hidden = embeddings;
  for (int64_t run = 0; run < call.runs && (!halting || halting->any_runs());) {
    const int64_t step = run / config.layers + 1, end = std::min(step * config.layers, call.runs);
    at::Tensor next = hidden + time_signal(step, config.hidden).to(hidden.options().requires_grad(false));
    for (; run < end; ++run) next = run_layer(whole, residual_layer, next, run);
    hidden = halting && run == step * config.layers ? halting->after_step(hidden, next, run == all) : next;
  }
  if (halting && call.runs == all) {
    hidden = halting->result(hidden.scalar_type());
    if (pass.options().halting) halting->count_into(*pass.options().halting);
  }
  return call.read.defined() ? rows_at(hidden, call.read) : hidden;
}

}  // namespace bigdna::model
