/// What the rows of model_folder/attention.h compute, but for the first (`blocks`, which is attention/backend.h).
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/parameters.h"

namespace bigdna::model {

/// The choices between discrete things that attentions make (which bucket, which cluster), in the order of their calls.
/// Tests record and replay them: then results change smoothly with the inputs.
struct Choices {
  std::vector<at::Tensor> made;
  bool replay = false;
  size_t next = 0;
};

/// The heads of one layer that do not attend by the pattern, for sequences of one length, without padding. Heads of all
/// sequences stand in one dimension, and no row lets them meet; so no result depends on padding or on other sequences.
struct AttentionCall {
  const model_folder::ModelConfig& config;
  const Parameters& parameters;
  int64_t layer = 0;
  at::Tensor q, k, v;  // [sequences * heads, n, head_size], fp32 or double
  at::Tensor states;   // [sequences, n, hidden], in the type of computation: what q, k and v were projected from
  std::string prefix;  // of the layer's parameters
  std::string backend = "auto";
  bool training = false;
  double share = 1;            // of the batch's examples that a sequence is, for side losses
  Choices* choices = nullptr;  // only in tests

  int64_t tokens() const { return q.size(1); }
  int64_t sequences() const { return states.size(0); }
  int64_t heads() const { return q.size(0) / sequences(); }
  double setting(const char* name) const { return config.attention.at(name); }
  int64_t whole(const char* name) const { return static_cast<int64_t>(setting(name)); }
  /// The row's own parameter of that name, in the type of q.
  at::Tensor own(const std::string& name) const;
  /// What differs by head (the first dimension), for the heads of all sequences.
  at::Tensor for_all(const at::Tensor& of_heads) const;
  /// The heads of what has them beside one another: [sequences, m, heads * head_size] -> [sequences * heads, m,
  /// head_size].
  at::Tensor split(const at::Tensor& x) const;
  /// The result of `make`, or what it was when the choices were recorded.
  at::Tensor choose(const std::function<at::Tensor()>& make) const;
  /// The number of a head in the layer.
  int64_t head(int64_t index) const;
};

/// [sequences * heads, n, head_size].
using AttentionRun = at::Tensor (*)(const AttentionCall&);
struct AttentionRunRow {
  std::string_view name;
  AttentionRun run;  // null for `blocks`
};
/// In the order of model_folder::attentions().
std::span<const AttentionRunRow> attention_runs();

at::Tensor longformer_attention(const AttentionCall& call);
at::Tensor performer_attention(const AttentionCall& call);
at::Tensor linear_attention(const AttentionCall& call);
at::Tensor linformer_attention(const AttentionCall& call);
at::Tensor compressed_attention(const AttentionCall& call);
at::Tensor axial_attention(const AttentionCall& call);
at::Tensor lsh_attention(const AttentionCall& call);
at::Tensor routing_attention(const AttentionCall& call);
at::Tensor span_attention(const AttentionCall& call);
at::Tensor inducing_attention(const AttentionCall& call);
at::Tensor etc_attention(const AttentionCall& call);
at::Tensor prior_attention(const AttentionCall& call);
at::Tensor xl_attention(const AttentionCall& call);
at::Tensor compressive_attention(const AttentionCall& call);
at::Tensor tree_attention(const AttentionCall& call);
at::Tensor sinkhorn_attention(const AttentionCall& call);

/// softmax(q k^T / sqrt(head_size)) v for each of `rows`: q [rows, n, head_size], k and v [rows, m, head_size] ->
/// [rows, n, head_size].
at::Tensor softmax_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v);
/// q' (k'^T v) / (q' k'^T 1), without the n x n product: q', k' [rows, n, features]. Where the divisor is below
/// `least` [rows, 1, 1] (undefined: no bound), it counts as that.
at::Tensor kernel_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                            const at::Tensor& least = {});
/// Sinusoids of distances `farthest` to -farthest, in double precision: [2 farthest + 1, width].
at::Tensor distance_sinusoids(int64_t farthest, int64_t width);
/// [heads, features, size] in double precision, on q's device: rows of independent normal lengths in blocks of `size`
/// orthogonal ones (or independent rows, as the setting `directions` says). A pure function of the pattern's seed, the
/// layer and the heads' numbers.
at::Tensor orthogonal_features(const AttentionCall& call, int64_t features);
/// [heads, 1, features], uniform over a circle: what `cos` adds to them.
at::Tensor feature_phases(const AttentionCall& call, int64_t features);

/// The row's function, once for all sequences of one length: `call` holds everything but q, k, v and states, which are
/// here [batch, heads, n, head_size] and [batch, n, hidden]. Gives [batch, heads, n, head_size] in their type; rows of
/// padding are 0.
at::Tensor run_attention(const AttentionCall& call, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                         const at::Tensor& states, const std::vector<int64_t>& lengths);

}  // namespace bigdna::model
