/// ETC (Ainslie et al. 2020): text attends to text nearby and to sentence tokens, sentence tokens
/// attend to one another and to their sentence, and each pair's relation has a learned label that is added to the key.
/// The pattern's extra tokens, which stand before the text, are the sentence tokens: the first reads the first
/// `sentence` tokens of the text, and so on. Those for which the text has no sentence are not read, and get 0. Without
/// extra tokens it is local attention with labels of relative position (Shaw et al. 2018).
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/where.h>

#include <cmath>
#include <limits>

#include "model/attention/attentions.h"
#include "model/attention/local_windows.h"
#include "model_folder/attention.h"
#include "sparsity/pattern.h"

namespace bigdna::model {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

/// The labels of a call, and what they add to the scores of its queries.
class Labels {
 public:
  explicit Labels(const AttentionCall& call)
      : farthest_(call.whole("labels")), labels_(call.for_all(call.own("labels"))) {}

  /// Of `queries` [rows, ..., size], for keys that are `offsets` [queries, keys] further on: [rows, ..., keys].
  at::Tensor of_distance(const at::Tensor& queries, const at::Tensor& offsets, bool sentences) const {
    const at::Tensor all = products(queries, sentences ? distances() : 0, distances());
    auto shape = all.sizes().vec();
    shape.back() = offsets.size(1);
    const at::Tensor label = offsets.clamp(-farthest_, farthest_).add(farthest_).to(at::kLong);
    return at::gather(all, -1, label.expand(shape));
  }
  /// Of `queries` [rows, n, size], for keys that belong to them or do not, [n, keys].
  at::Tensor of_membership(const at::Tensor& queries, const at::Tensor& belongs, bool sentences) const {
    const at::Tensor both = products(queries, 2 * distances() + (sentences ? 2 : 0), 2);
    return at::where(belongs, both.narrow(2, 0, 1), both.narrow(2, 1, 1));
  }

 private:
  int64_t distances() const { return 2 * farthest_ + 1; }
  at::Tensor products(const at::Tensor& queries, int64_t first, int64_t count) const {
    at::Tensor some = labels_.narrow(1, first, count).transpose(1, 2);
    if (queries.dim() == 4) some = some.unsqueeze(1);
    return at::matmul(queries, some);
  }

  int64_t farthest_;
  at::Tensor labels_;  // [rows, labels, size]
};

}  // namespace

at::Tensor etc_attention(const AttentionCall& call) {
  const int64_t extra = sparsity::extra_tokens(call.config.pattern), n = call.tokens() - extra;
  const Labels labels(call);
  const auto text_of = [&](const at::Tensor& x) { return x.narrow(1, extra, n); };
  const at::Tensor queries = call.q / std::sqrt(call.q.size(2)), q = text_of(queries), k = text_of(call.k),
                   v = text_of(call.v);
  const LocalWindows local(n, call.whole("radius"), call.q);
  const at::Tensor blocks = local.blocks_of(q);
  const at::Tensor nearby = at::matmul(blocks, local.windows_of(k).transpose(2, 3)) +
                            labels.of_distance(blocks, local.offsets(), /*sentences=*/false);
  const at::Tensor hidden = local.hidden(local.offsets().abs().gt(call.setting("radius")), /*causal=*/false);
  if (extra == 0) return local.attend(nearby, hidden, v);

  const int64_t length = model_folder::etc_sentence(call.config), sentences = (n + length - 1) / length;
  const auto sentence_of = [&](const at::Tensor& x) { return x.narrow(1, 0, sentences); };
  const at::Tensor sentence_q = sentence_of(queries), sentence_k = sentence_of(call.k),
                   sentence_v = sentence_of(call.v);
  const auto options = call.q.options().dtype(at::kLong);
  const at::Tensor number = at::arange(sentences, options),
                   belongs = at::arange(n, options).floor_divide(length).unsqueeze(1).eq(number);  // [n, sentences]

  const at::Tensor to_sentences = at::matmul(q, sentence_k.transpose(1, 2)) + labels.of_membership(q, belongs, false);
  const at::Tensor scores =
      at::softmax(at::cat({nearby.masked_fill(hidden, kNever), local.blocks_of(to_sentences)}, 3), 3);
  const int64_t keys = nearby.size(3);
  const at::Tensor text = local.rows_of(at::matmul(scores.narrow(3, 0, keys), local.windows_of(v))) +
                          at::matmul(local.rows_of(scores.narrow(3, keys, sentences)), sentence_v);

  const at::Tensor among = at::matmul(sentence_q, sentence_k.transpose(1, 2)) +
                           labels.of_distance(sentence_q, number - number.unsqueeze(1), /*sentences=*/true);
  at::Tensor to_text = at::matmul(sentence_q, k.transpose(1, 2)) + labels.of_membership(sentence_q, belongs.t(), true);
  if (call.whole("mask") != 0) to_text = to_text.masked_fill(belongs.t().logical_not(), kNever);
  const at::Tensor read = at::matmul(at::softmax(at::cat({among, to_text}, 2), 2), at::cat({sentence_v, v}, 1));
  return at::cat({at::constant_pad_nd(read, {0, 0, 0, extra - sentences}), text}, 1);
}

}  // namespace bigdna::model
