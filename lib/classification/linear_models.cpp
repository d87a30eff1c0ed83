#include "classification/linear_models.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_eigh.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "base/threads.h"
#include "classification/lbfgs.h"
#include "model/parallel.h"

namespace bigdna::classification {

namespace {
constexpr double kKmerPenalties[] = {3,    1,    0.3,   0.1,
                                     0.03, 0.01, 0.003, 0.001};  // strongest first: each fit starts from the one before
constexpr double kTolerance = 1e-7;                              // of the loss: what a step must gain
constexpr int64_t kChunk =
    64;  // features that are fitted together; fixed, so that results do not depend on the threads
constexpr int64_t kGroup =
    256;  // features whose descents are kept at a time: with five folds and 2000 columns about 250 MB
constexpr int64_t kPanel = 256;  // columns of a Gram matrix that are computed together; fixed likewise

/// values^T values, in double.
at::Tensor gram(const at::Tensor& values, int threads) {
  const at::Tensor x = values.to(at::kDouble);
  const int64_t columns = x.size(1);
  at::Tensor product = at::empty({columns, columns}, at::kDouble);
  parallel_for((columns + kPanel - 1) / kPanel, threads, [&](int64_t panel) {
    const c10::NoGradGuard no_grad;
    const int64_t first = panel * kPanel, count = std::min(kPanel, columns - first);
    product.narrow(0, first, count).copy_(x.narrow(1, first, count).t().matmul(x));
  });
  return product;
}

/// The rows in the coordinates of their principal axes: the Hessian is nearly diagonal there, so that a few
/// steps suffice, and there are no more of them than rows. The penalty is the same in both.
struct Axes {
  at::Tensor mean, scale;  // double [columns]: standardised = (x - mean) * scale
  at::Tensor basis;        // float [columns, axes]
  at::Tensor rows;         // float [rows, axes + 1]: the last is 1, for the bias
  at::Tensor variance;     // float [axes + 1]

  Axes(const at::Tensor& x, Scaling scaling, int threads) {
    const at::Tensor middle = x.mean(0, false, at::kDouble).to(at::kFloat);
    mean = middle.to(at::kDouble);
    at::Tensor standardised = x - middle;
    at::Tensor variances = standardised.square().mean(0, false, at::kDouble);
    if (scaling == Scaling::together) variances = variances.mean().expand(variances.sizes());
    scale = at::where(variances > 1e-18, variances.clamp_min(1e-300).rsqrt(),
                      at::zeros_like(variances));  // a constant column has no information
    standardised.mul_(scale.to(at::kFloat));
    scale = scale.to(at::kFloat).to(at::kDouble);
    const bool wide = x.size(0) < x.size(1);
    const auto [squares, vectors] = at::linalg_eigh(gram(wide ? standardised.t() : standardised, threads));
    const at::Tensor kept = (squares > std::max(1e-10 * squares.max().item<double>(), 1e-12)).nonzero().view({-1});
    const at::Tensor chosen = squares.index_select(0, kept), axes = vectors.index_select(1, kept);
    basis = (wide ? standardised.t().to(at::kDouble).matmul(axes) * chosen.rsqrt() : axes).to(at::kFloat);
    rows = at::cat({standardised.matmul(basis), at::ones({x.size(0), 1}, at::kFloat)}, 1);
    variance = at::cat({chosen / static_cast<double>(x.size(0)), at::ones({1}, at::kDouble)}).to(at::kFloat);
  }

  /// Weights [features, axes + 1] as models of the columns as they are.
  LinearModels models(const at::Tensor& weights) const {
    const at::Tensor of_axes = weights.narrow(1, 0, weights.size(1) - 1).to(at::kDouble),
                     last = weights.select(1, weights.size(1) - 1);
    const at::Tensor w = of_axes.matmul(basis.to(at::kDouble).t()) * scale;
    return {w.to(at::kFloat), (last - w.matmul(mean)).to(at::kFloat)};
  }
};

struct Range {
  int64_t start, count;
};

/// Rows in the order of their folds.
struct Folds {
  at::Tensor order;           // long [rows]
  std::vector<int64_t> ends;  // of each fold's rows, in that order

  explicit Folds(std::span<const int64_t> folds) {
    std::vector<int64_t> places(folds.size());
    std::iota(places.begin(), places.end(), 0);
    std::stable_sort(places.begin(), places.end(), [&](int64_t a, int64_t b) {
      return folds[static_cast<size_t>(a)] < folds[static_cast<size_t>(b)];
    });
    order = at::tensor(places, at::kLong);
    ends.assign(static_cast<size_t>(*std::max_element(folds.begin(), folds.end()) + 1), 0);
    for (const int64_t fold : folds) ++ends[static_cast<size_t>(fold)];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
  }
  int64_t count() const { return static_cast<int64_t>(ends.size()); }
  Range inside(int64_t fold) const {
    const int64_t start = fold ? ends[static_cast<size_t>(fold) - 1] : 0;
    return {start, ends[static_cast<size_t>(fold)] - start};
  }
  /// The rows of all other folds.
  std::vector<Range> others(int64_t fold) const {
    const auto [start, count] = inside(fold);
    std::vector<Range> ranges;
    if (start > 0) ranges.push_back({0, start});
    if (start + count < ends.back()) ranges.push_back({start + count, ends.back() - start - count});
    return ranges;
  }
};

/// Each feature's positives among so many rows.
struct Shares {
  std::vector<double> positives;
  double rows = 0;
  Shares(const at::Tensor& labels, const std::vector<Range>& ranges)
      : positives(static_cast<size_t>(labels.size(0)), 0) {
    for (const auto& [start, count] : ranges) {
      const at::Tensor sums = labels.narrow(1, start, count).sum(1, false, at::kDouble);
      for (size_t f = 0; f < positives.size(); ++f) positives[f] += sums.const_data_ptr<double>()[f];
      rows += static_cast<double>(count);
    }
  }
  double of(int64_t feature) const { return positives[static_cast<size_t>(feature)]; }
  double share(int64_t feature) const { return of(feature) / rows; }
  bool mixed(int64_t feature) const { return of(feature) > 0 && of(feature) < rows; }  // of both classes
  float log_odds(int64_t feature) const {
    return static_cast<float>(std::log((of(feature) + 0.5) / (rows - of(feature) + 0.5)));
  }
  /// Models [features, columns] that know no more than that.
  at::Tensor models(int64_t columns) const {
    at::Tensor weights = at::zeros({static_cast<int64_t>(positives.size()), columns}, at::kFloat);
    at::Tensor bias = weights.select(1, columns - 1);
    for (int64_t f = 0; f < weights.size(0); ++f) bias[f] = log_odds(f);
    return weights;
  }
};

/// A feature on its way.
struct Way {
  int64_t feature;
  Descent* descent;
};

/// Of `ways`, which began: to the end. Every step is one product for all that are still on their way. The
/// loss is the mean log loss of the ranges' rows. `labels`: [features, rows]
void minimise(const at::Tensor& rows, const at::Tensor& labels, const std::vector<Range>& ranges,
              std::vector<Way> ways) {
  const int64_t columns = rows.size(1);
  double total = 0;
  for (const auto& range : ranges) total += static_cast<double>(range.count);
  while (!ways.empty()) {
    const auto count = static_cast<int64_t>(ways.size());
    at::Tensor points = at::empty({count, columns}), gradient = at::zeros({count, columns}),
               loss = at::zeros({count}, at::kDouble);
    std::vector<int64_t> features;
    for (auto* next = points.mutable_data_ptr<float>(); const auto& [feature, descent] : ways) {
      next = std::copy(descent->point().begin(), descent->point().end(), next);
      features.push_back(feature);
    }
    const at::Tensor truth = labels.index_select(0, at::tensor(features, at::kLong));
    for (const auto& [start, size] : ranges) {
      const at::Tensor x = rows.narrow(0, start, size), y = truth.narrow(1, start, size), z = points.matmul(x.t());
      loss += (at::softplus(z) - y * z).sum(1, false, at::kDouble);
      gradient.addmm_(at::sigmoid(z) - y, x, 1, 1 / total);
    }
    std::vector<Way> left;
    for (int64_t i = 0; i < count; ++i) {
      const std::span<const float> slope(gradient.const_data_ptr<float>() + i * columns, static_cast<size_t>(columns));
      if (ways[static_cast<size_t>(i)].descent->advance(loss.const_data_ptr<double>()[i] / total, slope))
        left.push_back(ways[static_cast<size_t>(i)]);
    }
    ways = std::move(left);
  }
}

template <class T>
std::vector<std::span<const T>> chunks_of(std::span<const T> all, size_t size) {
  std::vector<std::span<const T>> chunks;
  for (size_t first = 0; first < all.size(); first += size)
    chunks.push_back(all.subspan(first, std::min(size, all.size() - first)));
  return chunks;
}

/// The fit of all features, in the coordinates of the axes and the order of the folds.
class Fitter {
 public:
  at::Tensor weights, held_out;  // float [features, axes + 1], [features, rows]

  Fitter(const Axes& axes, const Folds& folds, const at::Tensor& labels, int threads)
      : rows_(axes.rows),
        variance_(axes.variance.const_data_ptr<float>(), static_cast<size_t>(axes.variance.numel())),
        folds_(folds),
        labels_(labels),
        threads_(threads),
        all_(labels, {{0, rows_.size(0)}}),
        penalty_(static_cast<size_t>(labels.size(0))) {
    weights = all_.models(rows_.size(1));
    held_out = at::empty(labels.sizes());
    for (int64_t fold = 0; fold < folds.count(); ++fold) {
      others_.emplace_back(labels, folds.others(fold));
      of_fold(held_out, fold).copy_(others_.back().models(1).expand({labels.size(0), folds.inside(fold).count}));
    }
    std::vector<int64_t> mixed;  // features of both classes
    for (int64_t f = 0; f < labels.size(0); ++f)
      if (all_.mixed(f)) mixed.push_back(f);
    for (const auto& group : chunks_of<int64_t>(mixed, kGroup)) choose(group);
    const auto chunks = chunks_of<int64_t>(mixed, kChunk);
    parallel_for(static_cast<int64_t>(chunks.size()), threads_,
                 [&](int64_t chunk) { fit(chunks[static_cast<size_t>(chunk)]); });
  }

 private:
  /// A feature while its penalty is chosen.
  struct Candidate {
    int64_t feature;
    std::vector<Descent> descents;  // of each fold's others
    std::vector<double> losses;     // of each fold, by these
    double best = INFINITY;
    std::vector<double> best_of_others;  // without each fold, whose rows it is chosen for
    int worse = 0;
  };

  at::Tensor of_fold(const at::Tensor& by_row, int64_t fold) const {
    const auto [start, count] = folds_.inside(fold);
    return by_row.narrow(1, start, count);
  }

  Descent descent(int64_t feature, const Shares& shares, std::span<const float> start) const {
    const double share = shares.share(feature);
    return {start, variance_, std::max(1e-4, share * (1 - share)), kTolerance};
  }

  /// penalty_ and held_out, and in `weights` the mean of the folds' models with that penalty.
  void choose(std::span<const int64_t> features) {
    const auto fold_count = static_cast<size_t>(folds_.count());
    std::vector<Candidate> all;
    for (const int64_t f : features) {
      all.push_back({f, {}, std::vector<double>(fold_count), INFINITY, std::vector<double>(fold_count, INFINITY), 0});
      std::vector<float> start(variance_.size(), 0);
      for (const auto& shares : others_) {
        start.back() = shares.log_odds(f);
        all.back().descents.push_back(descent(f, shares, start));
      }
    }
    std::vector<Candidate*> live;
    for (auto& candidate : all) live.push_back(&candidate);
    for (const double penalty : kKmerPenalties) {
      const auto chunks = chunks_of<Candidate*>(live, kChunk);
      at::Tensor logits = at::empty({static_cast<int64_t>(live.size()), rows_.size(0)});
      parallel_for(folds_.count() * static_cast<int64_t>(chunks.size()), threads_, [&](int64_t job) {
        const int64_t chunk = job / folds_.count();
        const auto& part = chunks[static_cast<size_t>(chunk)];
        predict(job % folds_.count(), part, penalty,
                logits.narrow(0, chunk * kChunk, static_cast<int64_t>(part.size())));
      });
      std::vector<Candidate*> next;
      for (size_t i = 0; i < live.size(); ++i) {
        compare(*live[i], penalty, logits.select(0, static_cast<int64_t>(i)));
        if (live[i]->worse < 2)
          next.push_back(live[i]);
        else
          live[i]->descents.clear();
      }
      live = std::move(next);
    }
  }

  /// Fits the chunk to the other folds' rows, and gives logits [features, rows] of the fold's.
  void predict(int64_t fold, std::span<Candidate* const> chunk, double penalty, const at::Tensor& logits) const {
    const c10::NoGradGuard no_grad;
    const auto at = static_cast<size_t>(fold);
    std::vector<Way> ways;
    std::vector<int64_t> features;
    for (auto* candidate : chunk) {
      features.push_back(candidate->feature);
      auto& way = candidate->descents[at];
      if (others_[at].mixed(candidate->feature) && way.begin(penalty)) ways.push_back({candidate->feature, &way});
    }
    minimise(rows_, labels_, folds_.others(fold), ways);
    at::Tensor points = at::empty({static_cast<int64_t>(chunk.size()), rows_.size(1)});
    for (auto* to = points.mutable_data_ptr<float>(); const auto* candidate : chunk)
      to = std::copy(candidate->descents[at].point().begin(), candidate->descents[at].point().end(), to);
    const auto [start, count] = folds_.inside(fold);
    const at::Tensor z = points.matmul(rows_.narrow(0, start, count).t()),
                     truth = of_fold(labels_.index_select(0, at::tensor(features, at::kLong)), fold);
    of_fold(logits, fold).copy_(z);
    const at::Tensor losses = (at::softplus(z) - truth * z).sum(1, false, at::kDouble);
    for (size_t i = 0; i < chunk.size(); ++i) chunk[i]->losses[at] = losses.const_data_ptr<double>()[i];
  }

  /// Takes what is better with this penalty. `logits`: [rows], each by a model of the other folds
  void compare(Candidate& candidate, double penalty, const at::Tensor& logits) {
    const double total = std::accumulate(candidate.losses.begin(), candidate.losses.end(), 0.0);
    for (int64_t fold = 0; fold < folds_.count(); ++fold) {
      const double others = total - candidate.losses[static_cast<size_t>(fold)];
      if (!(others < candidate.best_of_others[static_cast<size_t>(fold)])) continue;
      candidate.best_of_others[static_cast<size_t>(fold)] = others;
      of_fold(held_out, fold).select(0, candidate.feature).copy_(of_fold(logits.unsqueeze(0), fold).select(0, 0));
    }
    ++candidate.worse;
    if (!(total < candidate.best)) return;
    candidate.best = total;
    candidate.worse = 0;
    penalty_[static_cast<size_t>(candidate.feature)] = penalty;
    auto* mean = weights.mutable_data_ptr<float>() + candidate.feature * weights.size(1);
    std::fill_n(mean, weights.size(1), 0.f);
    for (const auto& descent : candidate.descents)
      for (size_t j = 0; j < variance_.size(); ++j) mean[j] += descent.point()[j] / static_cast<float>(folds_.count());
  }

  /// `weights` of these features, of all rows.
  void fit(std::span<const int64_t> features) {
    const c10::NoGradGuard no_grad;
    std::vector<Descent> descents;
    std::vector<Way> ways;
    auto* of = weights.mutable_data_ptr<float>();
    for (const int64_t f : features) descents.push_back(descent(f, all_, {of + f * weights.size(1), variance_.size()}));
    for (size_t i = 0; i < features.size(); ++i)
      if (descents[i].begin(penalty_[static_cast<size_t>(features[i])])) ways.push_back({features[i], &descents[i]});
    minimise(rows_, labels_, {{0, rows_.size(0)}}, ways);
    for (size_t i = 0; i < features.size(); ++i)
      std::copy(descents[i].point().begin(), descents[i].point().end(), of + features[i] * weights.size(1));
  }

  const at::Tensor rows_;
  const std::span<const float> variance_;
  const Folds& folds_;
  const at::Tensor labels_;
  const int threads_;
  const Shares all_;
  std::vector<Shares> others_;   // without each fold
  std::vector<double> penalty_;  // of each feature
};
}  // namespace

at::Tensor LinearModels::logits(const at::Tensor& x) const { return at::addmm(bias, x, weight.t()); }

LinearFit fit_linear_models(const at::Tensor& x, const at::Tensor& y, std::span<const int64_t> folds, int threads,
                            Scaling scaling) {
  const int64_t rows = x.size(0);
  if (rows == 0 || y.size(0) != rows || static_cast<int64_t>(folds.size()) != rows)
    fail("logistic regression: ", rows, " rows, labels of ", y.size(0), ", folds of ", folds.size());
  const c10::NoGradGuard no_grad;
  const model::OneThreadPerOperation guard;
  const Folds by_fold(folds);
  const Axes axes(x.index_select(0, by_fold.order), scaling, threads);
  const Fitter fitter(axes, by_fold, y.index_select(0, by_fold.order).t().contiguous(), threads);
  LinearFit fit{axes.models(fitter.weights), at::empty({rows, y.size(1)}, at::kFloat)};
  fit.out_of_fold.index_copy_(0, by_fold.order, fitter.held_out.t());
  return fit;
}

}  // namespace bigdna::classification
