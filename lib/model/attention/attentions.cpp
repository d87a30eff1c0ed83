#include "model/attention/attentions.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/tensor.h>

#include <array>
#include <map>

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
    AttentionRunRow{"etc", etc_attention},
    AttentionRunRow{"prior", prior_attention},
    AttentionRunRow{"xl", xl_attention},
    AttentionRunRow{"compressive", compressive_attention},
    AttentionRunRow{"tree", tree_attention},
    AttentionRunRow{"sinkhorn", sinkhorn_attention},
};

}  // namespace

std::span<const AttentionRunRow> attention_runs() { return kRuns; }

at::Tensor AttentionCall::own(const std::string& name) const {
  return parameter(parameters, prefix + model_folder::own_prefix(config.attention.name) + name).to(q.scalar_type());
}

at::Tensor AttentionCall::for_all(const at::Tensor& of_heads) const {
  if (sequences() == 1) return of_heads;
  std::vector<int64_t> times(static_cast<size_t>(of_heads.dim()), 1);
  times[0] = sequences();
  return of_heads.repeat(times);
}

at::Tensor AttentionCall::split(const at::Tensor& x) const {
  return x.unflatten(2, {heads(), q.size(2)}).transpose(1, 2).flatten(0, 1);
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
  std::map<int64_t, std::vector<int64_t>> of_length;  // the sequences
  for (size_t b = 0; b < lengths.size(); ++b) of_length[lengths[b]].push_back(static_cast<int64_t>(b));
  std::vector<at::Tensor> results;
  std::vector<int64_t> place(lengths.size());  // of each sequence in them
  int64_t done = 0;
  for (const auto& [length, sequences] : of_length) {
    const bool all = sequences.size() == lengths.size();
    const at::Tensor chosen = all ? at::Tensor() : at::tensor(sequences, at::kLong).to(q.device());
    const auto of_sequences = [&](const at::Tensor& x, int64_t dimension) {
      return (all ? x : x.index_select(0, chosen)).narrow(dimension, 0, length);
    };
    const auto rows = [&](const at::Tensor& x) {
      const at::Tensor tokens = of_sequences(x, 2).flatten(0, 1);
      return narrow ? tokens.to(at::kFloat) : tokens;
    };
    AttentionCall one = call;
    one.q = rows(q), one.k = rows(k), one.v = rows(v), one.states = of_sequences(states, 1);
    const at::Tensor out = run(one).to(q.scalar_type()).unflatten(0, {std::ssize(sequences), q.size(1)});
    results.push_back(at::constant_pad_nd(out, {0, 0, 0, q.size(2) - length}));
    for (const int64_t b : sequences) place[static_cast<size_t>(b)] = done++;
  }
  if (results.size() == 1) return results[0];
  return at::cat(results).index_select(0, at::tensor(place, at::kLong).to(q.device()));
}

}  // namespace bigdna::model
