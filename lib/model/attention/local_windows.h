/// The keys near each query, for attentions that read no others: queries stand in blocks, and the queries of a block
/// share a window of keys, which reaches over both ends of the block.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace bigdna::model {

class LocalWindows {
 public:
  /// For n tokens of which each attends to those at most `reach` away, on the device and in the type of `like`.
  LocalWindows(int64_t n, int64_t reach, const at::Tensor& like);

  /// [rows, n, size] -> [rows, blocks, queries, size]; zeros past the end.
  at::Tensor blocks_of(const at::Tensor& x) const;
  /// [rows, n, size] -> [rows, blocks, keys, size]; zeros past both ends.
  at::Tensor windows_of(const at::Tensor& x) const;
  /// [rows, blocks, queries, size] -> [rows, n, size].
  at::Tensor rows_of(const at::Tensor& blocks) const;
  /// Key minus query, in tokens: [queries, keys].
  const at::Tensor& offsets() const { return offsets_; }
  /// Keys that a query does not read, [rows or blocks, queries, keys]: `also`, those past an end of the sequence, and
  /// in a `causal` model those behind the query.
  at::Tensor hidden(const at::Tensor& also, bool causal) const;
  /// The softmax of `scores`, [rows, blocks, queries, keys], over the keys that are not hidden, times their values,
  /// [rows, n, size]: [rows, n, size].
  at::Tensor attend(const at::Tensor& scores, const at::Tensor& hidden, const at::Tensor& values) const;
  /// Keys past an end of the sequence, [blocks, queries, keys]; never the query itself, so that no query is without
  /// keys.
  at::Tensor outside() const;

 private:
  int64_t n_, reach_, blocks_, padding_;
  at::Tensor offsets_, positions_;
};

}  // namespace bigdna::model
