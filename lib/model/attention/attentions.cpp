#include "model/attention/attentions.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/stack.h>

#include <array>

#include "base/error.h"
#include "model/layers.h"
#include "model_folder/attention.h"

namespace bigdna::model {
namespace {

constexpr std::array kRuns{
    AttentionRunRow{"blocks", nullptr},
    AttentionRunRow{"longformer", longformer_attention},
    AttentionRunRow{"performer", performer_attention},
    AttentionRunRow{"linear", linear_attention},
    AttentionRunRow{"linformer", linformer_attention},
    AttentionRunRow{"compressed", compressed_attention},
    AttentionRunRow{"axial", axial_attention},
    AttentionRunRow{"lsh", lsh_attention},
    AttentionRunRow{"routing", routing_attention},
    AttentionRunRow{"span", span_attention},
    AttentionRunRow{"inducing", inducing_attention},
};

}  // namespace

std::span<const AttentionRunRow> attention_runs() { return kRuns; }

at::Tensor AttentionCall::own(const std::string& name) const {
  return parameter(parameters, prefix + model_folder::own_prefix(config.attention.name) + name).to(q.scalar_type());
}

at::Tensor AttentionCall::choose(const std::function<at::Tensor()>& make) const {
  if (choices && choices->replay) return choices->made.at(choices->next++);
  at::Tensor made = make();
  if (choices) choices->made.push_back(made);
  return made;
}

int64_t AttentionCall::head(int64_t index) const {
  return config.heads - model_folder::attention_heads(config) + index;
}

at::Tensor softmax_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
  return at::scaled_dot_product_attention(q.unsqueeze(0), k.unsqueeze(0), v.unsqueeze(0)).squeeze(0);
}

at::Tensor kernel_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const at::Tensor& least) {
  at::Tensor divisor = at::bmm(q, k.sum(1, true).transpose(1, 2));
  if (least.defined()) divisor = at::maximum(divisor, least);
  return at::bmm(q, at::bmm(k.transpose(1, 2), v)) / divisor;
}

at::Tensor run_attention(const AttentionCall& call, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                         const at::Tensor& states, const std::vector<int64_t>& lengths) {
  const AttentionRun run = kRuns[model_folder::attention_index(call.config)].run;
  const bool narrow = q.scalar_type() == at::kBFloat16 || q.scalar_type() == at::kHalf;
  std::vector<at::Tensor> results;
  for (size_t b = 0; b < lengths.size(); ++b) {
    const auto index = static_cast<int64_t>(b);
    const auto of_sequence = [&](const at::Tensor& x) {
      const at::Tensor tokens = x[index].narrow(1, 0, lengths[b]);
      return narrow ? tokens.to(at::kFloat) : tokens;
    };
    AttentionCall one = call;
    one.q = of_sequence(q), one.k = of_sequence(k), one.v = of_sequence(v);
    one.states = states[index].narrow(0, 0, lengths[b]);
    results.push_back(at::constant_pad_nd(run(one).to(q.scalar_type()), {0, 0, 0, q.size(2) - lengths[b]}));
  }
  return at::stack(results);
}

}  // namespace bigdna::model
