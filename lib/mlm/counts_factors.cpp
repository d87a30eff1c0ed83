#include "mlm/counts_starts.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/linalg_qr.h>
#include <ATen/ops/linalg_svd.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "base/rng.h"
#include "base/streams.h"
#include "model/parallel.h"

namespace bigdna::mlm {
namespace {

/// Products with the table M of log-ratios, weighted by sqrt(u) on both sides, without storing it.
///
/// M(a, b) = log((C(a, b) + s) / (E(a, b) + s)), where E = N u(a) u(b) is the count expected by chance, and the
/// pseudo-counts s = alpha sqrt(u(a) u(b)) pull rare pairs towards 0. log(1 + C / s) is 0 for most pairs; log(1 + E /
/// s) depends only on u(a) u(b), so it is computed once for each pair of classes of about equally frequent tokens.
class LogRatios {
 public:
  LogRatios(const NgramModel& counts, int threads) : counts_(counts), threads_(threads) {
    constexpr double kClassesPerFactorE = 8;
    std::map<int64_t, int64_t> classes;
    for (const double u : counts.unigrams()) {
      weights_.push_back(std::sqrt(u));
      const auto key = std::llround(kClassesPerFactorE * std::log(u));
      class_of_.push_back(classes.emplace(key, static_cast<int64_t>(classes.size())).first->second);
    }
    std::vector<double> middle(classes.size());
    for (const auto& [key, number] : classes)
      middle[static_cast<size_t>(number)] = std::exp(static_cast<double>(key) / kClassesPerFactorE);
    const auto size = static_cast<int64_t>(classes.size());
    expected_ = at::empty({size, size}, at::kDouble);
    for (int64_t a = 0; a < size; ++a)
      for (int64_t b = 0; b < size; ++b)
        expected_.mutable_data_ptr<double>()[a * size + b] =
            std::log1p(static_cast<double>(counts.tokens()) / pseudo_counts() *
                       std::sqrt(middle[static_cast<size_t>(a)] * middle[static_cast<size_t>(b)]));
  }
  int64_t size() const { return static_cast<int64_t>(weights_.size()); }
  const std::vector<double>& weights() const { return weights_; }

  /// M x, or M^T x; x [vocabulary, k] of doubles.
  at::Tensor times(const at::Tensor& x, bool transposed) const {
    const int64_t k = x.size(1);
    at::Tensor by_class = at::zeros({expected_.size(0), k}, at::kDouble);
    auto* sums = by_class.mutable_data_ptr<double>();
    const auto* in = x.const_data_ptr<double>();
    for (int64_t t = 0; t < size(); ++t)
      for (int64_t i = 0; i < k; ++i)
        sums[class_of_[static_cast<size_t>(t)] * k + i] += weights_[static_cast<size_t>(t)] * in[t * k + i];
    const at::Tensor expected = at::matmul(expected_, by_class).contiguous();
    at::Tensor result = at::empty({size(), k}, at::kDouble);
    Work work{*this, in, expected.const_data_ptr<double>(), result.mutable_data_ptr<double>(), k, transposed};
    model::parallel(
        size(), threads_, [](void* context, int64_t row) { row_times(*static_cast<Work*>(context), row); }, &work);
    return result;
  }

 private:
  struct Work {
    const LogRatios& table;
    const double *x, *expected;
    double* result;
    int64_t k;
    bool transposed;
  };
  double pseudo_counts() const { return counts_.bigram_smoothing().one; }
  static void row_times(Work& work, int64_t row) {
    const LogRatios& table = work.table;
    const auto& pairs = table.counts_.pairs(1);
    const auto token = static_cast<int32_t>(row);
    const double weight = table.weights_[static_cast<size_t>(row)];
    double* out = work.result + row * work.k;
    const double* expected = work.expected + table.class_of_[static_cast<size_t>(row)] * work.k;
    for (int64_t i = 0; i < work.k; ++i) out[i] = -weight * expected[i];
    for (const auto& [other, count] : work.transposed ? pairs.before(token) : pairs.after(token)) {
      const double other_weight = table.weights_[other];
      const double value = std::log1p(count / (table.pseudo_counts() * weight * other_weight)) * weight * other_weight;
      const double* in = work.x + static_cast<int64_t>(other) * work.k;
      for (int64_t i = 0; i < work.k; ++i) out[i] += value * in[i];
    }
  }

  const NgramModel& counts_;
  int threads_;
  std::vector<double> weights_;
  std::vector<int64_t> class_of_;
  at::Tensor expected_;  // log(1 + E / s) by class
};

}  // namespace

CountFactors factorise(const NgramModel& counts, int64_t rank, uint64_t seed, int threads) {
  const LogRatios table(counts, threads);
  constexpr int64_t kExtra = 8;
  constexpr int kIterations = 4;
  const int64_t columns = std::min(table.size(), rank + kExtra);
  at::Tensor start = at::empty({table.size(), columns}, at::kDouble);
  Rng rng(seed, kCountsFactors);
  for (int64_t i = 0; i < start.numel(); ++i) start.mutable_data_ptr<double>()[i] = rng.normal();
  const auto orthonormal = [](const at::Tensor& x) { return std::get<0>(at::linalg_qr(x)).contiguous(); };
  at::Tensor left = orthonormal(table.times(start, false));
  for (int i = 0; i < kIterations; ++i) left = orthonormal(table.times(orthonormal(table.times(left, true)), false));
  const auto [u, s, vt] = at::linalg_svd(table.times(left, true).t(), /*full_matrices=*/false);
  const at::Tensor root = s.narrow(0, 0, rank).sqrt();
  const at::Tensor weights = at::from_blob(const_cast<double*>(table.weights().data()), {table.size(), 1}, at::kDouble);
  return {(at::matmul(left, u.narrow(1, 0, rank)) * root / weights).to(at::kFloat),
          (vt.t().narrow(1, 0, rank) * root / weights).to(at::kFloat)};
}

}  // namespace bigdna::mlm
