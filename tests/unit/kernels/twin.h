/// Attention in double, as plainly as possible: what the kernels are compared with; and random problems for
/// it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/rng.h"
#include "kernels/attention.h"
#include "kernels/dropout.h"

namespace bigdna::kernels {

/// A test's problem. Layouts: global (first and last block), a window of three, and random blocks.
struct Problem {
  int64_t batch = 1, heads = 2, block = 16, head_size = 16, n = 64;
  std::vector<int64_t> lengths = {};  // one a sequence (the last is repeated); empty: all n
  int64_t random = 1;
  bool full = false;
  double dropout = 0;
  bool interleaved = false;  // [batch, n, heads, head_size] in memory, as a projection leaves it
  uint64_t seed = 1;
  bool causal = false;
  int64_t prefix = 0;  // causal: blocks that attend to each other in both directions
};
inline std::ostream& operator<<(std::ostream& out, const Problem& p) {
  out << p.batch << " x " << p.heads << " heads of " << p.head_size << ", block " << p.block << ", " << p.n
      << " tokens";
  for (const int64_t length : p.lengths) out << ' ' << length;
  return out << (p.full ? ", full" : "") << ", dropout " << p.dropout << (p.interleaved ? ", interleaved" : "")
             << (p.causal ? ", causal, prefix " + std::to_string(p.prefix) : "");
}

/// Lists, and the views into them.
struct Layout {
  std::vector<int32_t> row_starts, columns, column_starts, rows;
  int64_t prefix = 0;
  LayoutView view() const {
    return {static_cast<int64_t>(row_starts.size()) - 1,
            row_starts.data(),
            columns.data(),
            column_starts.data(),
            rows.data(),
            prefix};
  }
};

inline Layout make_layout(const Problem& p, int64_t blocks, Rng& rng) {
  Layout layout;
  layout.prefix = std::min(p.prefix, blocks);
  std::vector<std::vector<int32_t>> lists(blocks), transposed(blocks);
  for (int64_t i = 0; i < blocks; ++i) {
    std::vector<char> attended(blocks, p.full || i == 0 || i == blocks - 1);
    for (int64_t j : {int64_t{0}, i - 1, i, i + 1, blocks - 1}) {
      if (j >= 0 && j < blocks) attended[j] = 1;
    }
    for (int64_t r = 0; r < p.random; ++r) attended[rng.below(blocks)] = 1;
    for (int64_t j = 0; j < blocks; ++j)
      if (attended[j] && !(p.causal && j > i && j >= layout.prefix)) {
        lists[i].push_back(j);
        transposed[j].push_back(i);
      }
  }
  auto flatten = [](const std::vector<std::vector<int32_t>>& from, std::vector<int32_t>& starts,
                    std::vector<int32_t>& to) {
    starts = {0};
    for (const auto& list : from) {
      to.insert(to.end(), list.begin(), list.end());
      starts.push_back(static_cast<int32_t>(to.size()));
    }
  };
  flatten(lists, layout.row_starts, layout.columns);
  flatten(transposed, layout.column_starts, layout.rows);
  return layout;
}

/// Tensors are [batch, heads, n, head_size] through strides().
struct Data {
  Problem problem;
  std::vector<int64_t> lengths;
  std::vector<Layout> layouts;
  std::vector<LayoutView> views;
  std::vector<float> q, k, v, grad_out;

  explicit Data(const Problem& p) : problem(p), lengths(p.lengths) {
    Rng rng(p.seed);
    lengths.resize(p.batch, p.lengths.empty() ? p.n : p.lengths.back());
    for (int64_t b = 0; b < p.batch; ++b)
      for (int64_t h = 0; h < p.heads; ++h)
        layouts.push_back(make_layout(p, (lengths[b] + p.block - 1) / p.block, rng));
    for (const Layout& layout : layouts) views.push_back(layout.view());
    for (auto* tensor : {&q, &k, &v, &grad_out}) {
      tensor->resize(p.batch * p.heads * p.n * p.head_size);
      for (float& x : *tensor) x = static_cast<float>(rng.normal());
    }
    for (int64_t b = 0; b < p.batch; ++b)  // what lies past a sequence's end must not matter
      for (int64_t h = 0; h < p.heads; ++h)
        for (int64_t i = lengths[b]; i < p.n; ++i)
          for (int64_t d = 0; d < p.head_size; ++d)
            for (auto* tensor : {&q, &k, &v, &grad_out})
              (*tensor)[at(b, h, i, d)] = std::numeric_limits<float>::quiet_NaN();
  }
  int64_t at(int64_t b, int64_t h, int64_t i, int64_t d) const {
    const Problem& p = problem;
    return p.interleaved ? ((b * p.n + i) * p.heads + h) * p.head_size + d
                         : ((b * p.heads + h) * p.n + i) * p.head_size + d;
  }
  template <class T>
  Strided<T> strided(T* data) const {
    return {data, at(1, 0, 0, 0), at(0, 1, 0, 0), at(0, 0, 1, 0)};
  }
  float scale() const { return 1 / std::sqrt(static_cast<float>(problem.head_size)); }
  AttentionForward forward(std::vector<float>& out, std::vector<float>& log_sum_exp, int threads = 1) const {
    const Problem& p = problem;
    out.assign(q.size(), 7);  // rubbish: every element must be written
    log_sum_exp.assign(p.batch * p.heads * p.n, 7);
    AttentionForward a;
    a.batch = p.batch, a.heads = p.heads, a.n = p.n, a.head_size = p.head_size, a.block = p.block;
    a.q = strided<const void>(q.data()), a.k = strided<const void>(k.data()), a.v = strided<const void>(v.data());
    a.out = strided<void>(out.data());
    a.log_sum_exp = log_sum_exp.data();
    a.lengths = lengths.data();
    a.layouts = views.data();
    a.scale = scale();
    a.causal = p.causal;
    a.dropout = p.dropout;
    a.dropout_seed = p.seed * 0x123456789ABCDEF;
    a.threads = threads;
    return a;
  }
};

struct Result {
  std::vector<double> out, log_sum_exp, grad_q, grad_k, grad_v;
};

inline Result twin(const Data& data, uint64_t dropout_seed) {
  const Problem& p = data.problem;
  Result result;
  for (auto* tensor : {&result.out, &result.grad_q, &result.grad_k, &result.grad_v}) tensor->resize(data.q.size());
  result.log_sum_exp.resize(p.batch * p.heads * p.n);
  const uint32_t threshold = dropout_threshold(p.dropout);
  const double keep = 65536.0 / (65536 - threshold), scale = data.scale();
  for (int64_t b = 0; b < p.batch; ++b)
    for (int64_t h = 0; h < p.heads; ++h)
      for (int64_t i = 0; i < data.lengths[b]; ++i) {
        const Layout& layout = data.layouts[b * p.heads + h];
        std::vector<int64_t> keys;
        for (int32_t e = layout.row_starts[i / p.block]; e < layout.row_starts[i / p.block + 1]; ++e)
          for (int64_t j = layout.columns[e] * p.block;
               j < std::min((layout.columns[e] + 1) * p.block, data.lengths[b]); ++j)
            if (!p.causal || j <= i || i / p.block < layout.prefix) keys.push_back(j);
        std::vector<double> weights, mask;
        double sum = 0;
        for (const int64_t j : keys) {
          double score = 0;
          for (int64_t d = 0; d < p.head_size; ++d)
            score += double{data.q[data.at(b, h, i, d)]} * data.k[data.at(b, h, j, d)];
          weights.push_back(std::exp(score * scale));
          mask.push_back(dropout_keeps(dropout_seed, b * p.heads + h, i, j, threshold) ? keep : 0);
          sum += weights.back();
        }
        result.log_sum_exp[(b * p.heads + h) * p.n + i] = std::log(sum);
        std::vector<double> gradients;  // of the weights
        double dots = 0;
        for (size_t e = 0; e < keys.size(); ++e) {
          weights[e] /= sum;
          double gradient = 0;
          for (int64_t d = 0; d < p.head_size; ++d) {
            result.out[data.at(b, h, i, d)] += weights[e] * mask[e] * data.v[data.at(b, h, keys[e], d)];
            gradient += double{data.grad_out[data.at(b, h, i, d)]} * mask[e] * data.v[data.at(b, h, keys[e], d)];
            result.grad_v[data.at(b, h, keys[e], d)] += weights[e] * mask[e] * data.grad_out[data.at(b, h, i, d)];
          }
          gradients.push_back(gradient);
          dots += weights[e] * gradient;
        }
        for (size_t e = 0; e < keys.size(); ++e)
          for (int64_t d = 0; d < p.head_size; ++d) {
            const double gradient = weights[e] * (gradients[e] - dots) * scale;
            result.grad_q[data.at(b, h, i, d)] += gradient * data.k[data.at(b, h, keys[e], d)];
            result.grad_k[data.at(b, h, keys[e], d)] += gradient * data.q[data.at(b, h, i, d)];
          }
      }
  return result;
}

/// The largest difference, relative to the largest value (values are of order 1; some are exactly 0).
template <class A>
double error(const std::vector<A>& ours, const std::vector<double>& expected) {
  double difference = 0, largest = 0.1;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!std::isfinite(static_cast<double>(ours[i]))) return std::numeric_limits<double>::infinity();
    difference = std::max(difference, std::abs(ours[i] - expected[i]));
    largest = std::max(largest, std::abs(expected[i]));
  }
  return difference / largest;
}

}  // namespace bigdna::kernels
