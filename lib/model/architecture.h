/// What architectures compute; the table in model_folder/architecture.h has their names and parameters. Only encode()
/// and the heads use this.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/encoder.h"
#include "model/layers.h"
#include "model/past.h"

namespace bigdna::model {

/// One pass through an encoder: a batch, and what the layers share. Recomputed layers run after encode() has returned,
/// so this keeps copies of everything (for tensors, of their handles).
class Pass {
 public:
  /// `past`: what was read before the batch, which then is one token of each sequence; null: nothing.
  Pass(const model_folder::ModelConfig& config, const Parameters& parameters, const Batch& batch,
       const ForwardOptions& options, Past* past = nullptr);
  virtual ~Pass() = default;
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  /// [batch, n, hidden] in the type of computation (ForwardOptions::compute), extra global tokens (bigbird-etc) first.
  virtual at::Tensor embeddings() const = 0;
  /// `input` and the result have the same type and shape as embeddings(). Where a stack repeats layers, `index` counts
  /// all runs: in another run a layer has the same weights, but its own dropout and random blocks.
  virtual at::Tensor layer(const at::Tensor& input, int64_t index) const = 0;
  /// Rows of layer(input, index) at some positions [m] (b * n + i), [m, hidden], for the last layer, of which not all
  /// rows are read.
  virtual at::Tensor layer_at(const at::Tensor& input, int64_t index, const at::Tensor& positions) const;
  /// What the two halves of a layer add, in the type of their input, which is at least as wide as that of computation:
  /// of architectures whose norms lie within what is added (model_folder::ArchitectureRow::branches). The second works
  /// row by row, [m, hidden]; `chunk` is the number of these rows among those that run one after the other.
  virtual at::Tensor attention_branch(const at::Tensor& input, int64_t index) const;
  virtual at::Tensor feed_forward_branch(const at::Tensor& rows, int64_t index, int64_t chunk) const;
  /// A layer's own parameter of the configuration's stack.
  const at::Tensor& of_stack(int64_t layer, const std::string& name) const;
  /// What follows the last layer, row by row.
  virtual at::Tensor finish(const at::Tensor& hidden) const { return hidden; }
  const model_folder::ModelConfig& config() const { return config_; }
  const ForwardOptions& options() const { return options_; }
  const std::vector<int64_t>& lengths() const { return lengths_; }  // of text and extra global tokens
  /// The hidden states without those of extra global tokens.
  at::Tensor text(const at::Tensor& hidden) const;
  /// Positions of the text among all tokens.
  at::Tensor among_all(const at::Tensor& positions) const;

 protected:
  /// Where dropout is applied: each (seed, layer, place) has its own mask.
  enum class Place : uint64_t { embeddings, attention_weights, attention_output, output };
  uint64_t seed(int64_t layer, Place place) const;
  /// No dropout unless training.
  Dropout drop(int64_t layer, Place place, double probability) const;
  /// Puts the learned global tokens before those of the text, [batch, text, hidden].
  at::Tensor with_extra_tokens(const at::Tensor& text) const;
  /// softmax(q k^T) v for layer `index`, by the pattern and the backend, or what the configuration's attention
  /// computes: q, k, v [batch, heads, n, head size], projected from `states` [batch, n, hidden], give [batch, n,
  /// hidden].
  at::Tensor attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const at::Tensor& states,
                    int64_t index) const;
  /// Keys of all heads from those of the heads that have a projection of them: the others' are their queries. Both
  /// [batch, heads, n, head size], or with heads in another dimension.
  at::Tensor keys_of(const at::Tensor& keys, const at::Tensor& queries, int64_t dimension) const;
  std::string layer_name(int64_t index) const;

  const model_folder::ModelConfig config_;
  const Parameters parameters_;
  const Batch batch_;
  const ForwardOptions options_;
  int64_t size_, text_;           // sequences, and their padded length
  int64_t extra_, n_;             // global tokens before the text, and all tokens
  std::vector<int64_t> lengths_;  // of text and extra tokens
  Past* const past_;              // takes the keys and values of the token
};

/// Rows (or positions of rows) for a product whose number of rows differs from batch to batch, with zeros behind them
/// where it has to be one of a few: LibTorch compiles a bf16 product on a CPU for every shape that it meets, and never
/// forgets one.
at::Tensor rows_of_product(const at::Tensor& rows, at::ScalarType compute);

struct ArchitectureFunctions {
  std::shared_ptr<const Pass> (*pass)(const model_folder::ModelConfig&, const Parameters&, const Batch&,
                                      const ForwardOptions&, Past*);
  /// Whether pretraining's loss may use model/cross_entropy.h. bigbird's does not: its rounding would change, and
  /// models trained before would not come out again bit for bit.
  bool fused_loss;
  /// Transforms hidden states [m, hidden] into the input of the tied decoder.
  at::Tensor (*mlm_transform)(const model_folder::ModelConfig&, const Parameters&, const at::Tensor& rows);
  /// NSP logits [batch, 2] from the hidden states of [CLS], [batch, hidden].
  at::Tensor (*nsp)(const model_folder::ModelConfig&, const Parameters&, const at::Tensor& first);
  /// The first layer of a task head with two, [batch, pooled size] -> [batch, hidden].
  at::Tensor (*task_dense)(const model_folder::ModelConfig&, const Parameters&, const at::Tensor& pooled);
};
extern const ArchitectureFunctions kBigBird, kModern;
const ArchitectureFunctions& functions_of(const model_folder::ModelConfig& config);

}  // namespace bigdna::model
