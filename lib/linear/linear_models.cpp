#include "linear/linear_models.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/threads.h"
#include "linear/folds.h"
#include "linear/lbfgs.h"
#include "linear/penalty_choice.h"
#include "linear/point_loss.h"
#include "linear/principal_axes.h"
#include "model/parallel.h"

namespace bigdna::linear {

namespace {
// strongest first: each fit starts from the one before
constexpr double kKmerPenalties[] = {3, 1, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001};
constexpr int kMostWorse = 2;        // penalties in a row that are no better, after which a feature tries no more
constexpr double kTolerance = 1e-7;  // of the loss: what a step must gain
// features that are fitted together; fixed, so that results do not depend on the threads
constexpr int64_t kChunk = 64;
// features whose fits to the folds are kept at a time: with five folds and 2000 columns about 250 MB
constexpr int64_t kGroup = 256;

/// Each feature's positives, or the sum of its counts, among so many rows.
struct Shares {
  const PointLoss& point;
  std::vector<double> positives;
  double rows = 0;
  Shares(const PointLoss& of_labels, const at::Tensor& labels, const at::Tensor& weights,
         const std::vector<RowRange>& ranges)
      : point(of_labels), positives(static_cast<size_t>(labels.size(0)), 0) {
    for (const auto& [start, count] : ranges) {
      const at::Tensor of_rows = weights.narrow(0, start, count),
                       sums = (labels.narrow(1, start, count) * of_rows).sum(1, false, at::kDouble);
      for (size_t f = 0; f < positives.size(); ++f) positives[f] += sums.const_data_ptr<double>()[f];
      rows += of_rows.sum(at::kDouble).item<double>();
    }
  }
  double of(int64_t feature) const { return positives[static_cast<size_t>(feature)]; }
  double share(int64_t feature) const { return of(feature) / rows; }
  bool mixed(int64_t feature) const { return point.tells(of(feature), rows); }
  float start(int64_t feature) const { return static_cast<float>(point.start(of(feature), rows)); }
  /// Models [features, columns] that know no more than that.
  at::Tensor models(int64_t columns) const {
    at::Tensor weights = at::zeros({static_cast<int64_t>(positives.size()), columns}, at::kFloat);
    at::Tensor bias = weights.select(1, columns - 1);
    for (int64_t f = 0; f < weights.size(0); ++f) bias[f] = start(f);
    return weights;
  }
};

/// The fit of one feature, not at its end.
struct OpenFit {
  int64_t feature;
  Lbfgs<float>* solver;
};

/// Brings the fits, which began, to their ends. Every step is one product for all that have not ended. The loss is the
/// mean loss of the ranges' rows. `rows`: [rows, columns]; `labels`: [features, rows]; `weights`: [rows].
void minimise(const PointLoss& point, const at::Tensor& rows, const at::Tensor& labels, const at::Tensor& weights,
              const std::vector<RowRange>& ranges, std::vector<OpenFit> fits) {
  const int64_t columns = rows.size(1);
  double total = 0;
  for (const auto& [start, count] : ranges) total += weights.narrow(0, start, count).sum(at::kDouble).item<double>();
  while (!fits.empty()) {
    const auto count = std::ssize(fits);
    at::Tensor points = at::empty({count, columns}), gradient = at::zeros({count, columns}),
               loss = at::zeros({count}, at::kDouble);
    std::vector<int64_t> features;
    for (auto* next = points.mutable_data_ptr<float>(); const auto& [feature, solver] : fits) {
      next = std::copy(solver->point().begin(), solver->point().end(), next);
      features.push_back(feature);
    }
    const at::Tensor truth = labels.index_select(0, at::tensor(features, at::kLong));
    for (const auto& [start, size] : ranges) {
      const at::Tensor x = rows.narrow(0, start, size), y = truth.narrow(1, start, size),
                       weight = weights.narrow(0, start, size), z = points.matmul(x.t());
      loss += (point.loss(z, y) * weight).sum(1, false, at::kDouble);
      gradient.addmm_(point.slope(z, y) * weight, x, 1, 1 / total);
    }
    std::vector<OpenFit> left;
    for (int64_t i = 0; i < count; ++i) {
      const std::span<const float> slope(gradient.const_data_ptr<float>() + i * columns, static_cast<size_t>(columns));
      if (fits[static_cast<size_t>(i)].solver->advance(loss.const_data_ptr<double>()[i] / total, slope))
        left.push_back(fits[static_cast<size_t>(i)]);
    }
    fits = std::move(left);
  }
}

template <class T>
std::vector<std::span<const T>> chunks_of(std::span<const T> all, size_t size) {
  std::vector<std::span<const T>> chunks;
  for (size_t first = 0; first < all.size(); first += size)
    chunks.push_back(all.subspan(first, std::min(size, all.size() - first)));
  return chunks;
}

/// The models of all features, in the coordinates of the axes and the order of the folds. A feature that tells more
/// than its mean is given first to choose_penalties(), then to fit().
class Fitter {
 public:
  Fitter(const PointLoss& point, const PrincipalAxes& axes, const Folds& folds, const at::Tensor& labels,
         const at::Tensor& row_weights, int threads, log::Progress& progress)
      : point_(point),
        rows_(axes.rows),
        variance_(axes.variance.const_data_ptr<float>(), static_cast<size_t>(axes.variance.numel())),
        folds_(folds),
        labels_(labels),
        row_weights_(row_weights),
        threads_(threads),
        progress_(progress),
        all_(point, labels, row_weights, {{0, rows_.size(0)}}),
        penalty_(static_cast<size_t>(labels.size(0))),
        weights_(all_.models(rows_.size(1))),
        held_out_(at::empty(labels.sizes())) {
    for (int64_t fold = 0; fold < folds.count(); ++fold) {
      others_.emplace_back(point, labels, row_weights, folds.others(fold));
      of_others_.push_back(others_.back().models(rows_.size(1)));
      of_fold(held_out_, fold).copy_(others_.back().models(1).expand({labels.size(0), folds.inside(fold).count}));
    }
  }

  /// Float [features, axes + 1]; before the fit the odds alone.
  const at::Tensor& weights() const { return weights_; }
  /// Float [features, rows]: logits by models of the other folds, with the penalty that is best without the row's fold.
  const at::Tensor& held_out() const { return held_out_; }
  /// The models that gave them, as weights(), one for each fold.
  const std::vector<at::Tensor>& of_others() const { return of_others_; }
  /// The features that tell more than their mean, which alone can be fitted.
  std::vector<int64_t> mixed() const {
    std::vector<int64_t> features;
    for (int64_t f = 0; f < labels_.size(0); ++f)
      if (all_.mixed(f)) features.push_back(f);
    return features;
  }

  /// Chooses the features' penalties, sets held_out(), and weights() to the mean of the folds' models, from which the
  /// fit starts. All folds and features are fitted with one penalty after the other, those of a feature until
  /// kMostWorse were no better.
  void choose_penalties(std::span<const int64_t> features) {
    std::vector<Candidate> all;
    for (const int64_t f : features) {
      all.push_back({f, {}, std::vector<double>(others_.size()), PenaltyChoice(folds_.count())});
      std::vector<float> start(variance_.size(), 0);
      for (const auto& shares : others_) {
        start.back() = shares.start(f);
        all.back().solvers.push_back(solver(f, shares, start));
      }
    }
    std::vector<Candidate*> live;
    for (auto& candidate : all) live.push_back(&candidate);
    uint64_t left = std::size(kKmerPenalties);
    for (const double penalty : kKmerPenalties) {
      --left;
      const auto chunks = chunks_of<Candidate*>(live, kChunk);
      at::Tensor logits = at::empty({std::ssize(live), rows_.size(0)});
      parallel_for(folds_.count() * std::ssize(chunks), threads_, [&](int64_t job) {
        const int64_t chunk = job / folds_.count();
        const auto& part = chunks[static_cast<size_t>(chunk)];
        fit_others(job % folds_.count(), part, penalty, logits.narrow(0, chunk * kChunk, std::ssize(part)));
        progress_.add(part.size());
      });
      std::vector<Candidate*> next;
      for (size_t i = 0; i < live.size(); ++i) {
        compare(*live[i], penalty, logits.select(0, static_cast<int64_t>(i)));
        if (live[i]->choice.since_best() < kMostWorse)
          next.push_back(live[i]);
        else
          live[i]->solvers.clear(), progress_.add(left * static_cast<uint64_t>(folds_.count()));
      }
      live = std::move(next);
    }
  }

  /// Sets weights() of features whose penalties are chosen, by all rows. Other threads may fit others meanwhile.
  void fit(std::span<const int64_t> features) {
    const c10::NoGradGuard no_grad;
    std::vector<Lbfgs<float>> solvers;
    std::vector<OpenFit> fits;
    auto* of = weights_.mutable_data_ptr<float>();
    for (const int64_t f : features) solvers.push_back(solver(f, all_, {of + f * weights_.size(1), variance_.size()}));
    for (size_t i = 0; i < features.size(); ++i)
      if (solvers[i].begin(penalty_[static_cast<size_t>(features[i])])) fits.push_back({features[i], &solvers[i]});
    minimise(point_, rows_, labels_, row_weights_, {{0, rows_.size(0)}}, fits);
    for (size_t i = 0; i < features.size(); ++i)
      std::copy(solvers[i].point().begin(), solvers[i].point().end(), of + features[i] * weights_.size(1));
  }

 private:
  /// A feature while its penalty is chosen.
  struct Candidate {
    int64_t feature;
    std::vector<Lbfgs<float>> solvers;  // of the other folds' rows, for each fold
    std::vector<double> losses;         // of each fold, by these
    PenaltyChoice choice;
  };

  at::Tensor of_fold(const at::Tensor& by_row, int64_t fold) const {
    const auto [start, count] = folds_.inside(fold);
    return by_row.narrow(1, start, count);
  }

  Lbfgs<float> solver(int64_t feature, const Shares& shares, std::span<const float> start) const {
    const double curvature = point_.curvature(shares.share(feature));
    return {start, {.variance = variance_, .curvature = curvature, .tolerance = kTolerance}};
  }

  /// Fits the chunk to the other folds' rows, and gives the losses and the logits [features, rows] of the fold's.
  void fit_others(int64_t fold, std::span<Candidate* const> chunk, double penalty, const at::Tensor& logits) const {
    const c10::NoGradGuard no_grad;
    const auto at = static_cast<size_t>(fold);
    std::vector<OpenFit> fits;
    std::vector<int64_t> features;
    for (auto* candidate : chunk) {
      features.push_back(candidate->feature);
      auto& solver = candidate->solvers[at];
      if (others_[at].mixed(candidate->feature) && solver.begin(penalty)) fits.push_back({candidate->feature, &solver});
    }
    minimise(point_, rows_, labels_, row_weights_, folds_.others(fold), fits);
    at::Tensor points = at::empty({std::ssize(chunk), rows_.size(1)});
    for (auto* to = points.mutable_data_ptr<float>(); const auto* candidate : chunk)
      to = std::copy(candidate->solvers[at].point().begin(), candidate->solvers[at].point().end(), to);
    const auto [start, count] = folds_.inside(fold);
    const at::Tensor z = points.matmul(rows_.narrow(0, start, count).t()),
                     truth = of_fold(labels_.index_select(0, at::tensor(features, at::kLong)), fold);
    of_fold(logits, fold).copy_(z);
    const at::Tensor losses = (point_.loss(z, truth) * row_weights_.narrow(0, start, count)).sum(1, false, at::kDouble);
    for (size_t i = 0; i < chunk.size(); ++i) chunk[i]->losses[at] = losses.const_data_ptr<double>()[i];
  }

  /// Takes what is better with this penalty. `logits`: [rows], each by a model of the other folds
  void compare(Candidate& candidate, double penalty, const at::Tensor& logits) {
    const bool best = candidate.choice.add(candidate.losses);
    for (int64_t fold = 0; fold < folds_.count(); ++fold) {
      if (!candidate.choice.is_best_without(fold)) continue;
      of_fold(held_out_, fold).select(0, candidate.feature).copy_(of_fold(logits.unsqueeze(0), fold).select(0, 0));
      const auto& point = candidate.solvers[static_cast<size_t>(fold)].point();
      auto& models = of_others_[static_cast<size_t>(fold)];
      std::copy(point.begin(), point.end(), models.mutable_data_ptr<float>() + candidate.feature * models.size(1));
    }
    if (!best) return;
    penalty_[static_cast<size_t>(candidate.feature)] = penalty;
    auto* mean = weights_.mutable_data_ptr<float>() + candidate.feature * weights_.size(1);
    std::fill_n(mean, weights_.size(1), 0.f);
    for (const auto& solver : candidate.solvers)
      for (size_t j = 0; j < variance_.size(); ++j) mean[j] += solver.point()[j] / static_cast<float>(folds_.count());
  }

  const PointLoss& point_;
  const at::Tensor rows_;  // [rows, axes + 1]
  const std::span<const float> variance_;
  const Folds& folds_;
  const at::Tensor labels_;       // [features, rows]
  const at::Tensor row_weights_;  // [rows]
  const int threads_;
  log::Progress& progress_;
  const Shares all_;
  std::vector<Shares> others_;   // without each fold
  std::vector<double> penalty_;  // of each feature
  at::Tensor weights_, held_out_;
  std::vector<at::Tensor> of_others_;
};
}  // namespace

namespace {
/// What labels are divided by, float [features]: counts by their means, if these are not 0.
at::Tensor units_of(const at::Tensor& y, dataset::LabelType type) {
  const at::Tensor ones = at::ones({y.size(1)});
  if (type != dataset::LabelType::counts) return ones;
  const at::Tensor mean = y.mean(0);
  return at::where(mean > 0, mean, ones);
}
}  // namespace

at::Tensor LinearModels::logits(const at::Tensor& x) const { return at::addmm(bias, x, weight.t()); }

at::Tensor LinearFit::out_of_fold_of(const at::Tensor& x, std::span<const int64_t> folds) const {
  const c10::NoGradGuard no_grad;
  const model::OneThreadPerOperation guard;
  const Folds by_fold(folds);
  const auto models_of_others = of_others();
  at::Tensor logits = at::empty(out_of_fold.sizes(), at::kFloat);
  for (int64_t fold = 0; fold < by_fold.count(); ++fold) {
    const auto [start, count] = by_fold.inside(fold);
    const at::Tensor rows = by_fold.order.narrow(0, start, count);
    logits.index_copy_(0, rows, models_of_others[static_cast<size_t>(fold)].logits(x.index_select(0, rows)));
  }
  return logits;
}

LinearFit fit_linear_models(const at::Tensor& x, const at::Tensor& y, std::span<const int64_t> folds, int threads,
                            const LinearRows& how, dataset::LabelType type) {
  const int64_t rows = x.size(0);
  if (rows == 0 || y.size(0) != rows || static_cast<int64_t>(folds.size()) != rows)
    fail("linear models: ", rows, " rows, labels of ", y.size(0), ", folds of ", folds.size());
  const c10::NoGradGuard no_grad;
  const model::OneThreadPerOperation guard;
  const Folds by_fold(folds);
  const bool in_place = how.overwrite && std::ranges::is_sorted(folds);
  const auto of_feature = static_cast<uint64_t>(by_fold.count() * std::ssize(kKmerPenalties) + 1);
  log::Progress progress("regressions", static_cast<uint64_t>(y.size(1)) * of_feature, "fits");
  const PrincipalAxes axes(in_place ? x : x.index_select(0, by_fold.order), how.scaling, threads);
  const at::Tensor weights =
      how.weights.empty() ? at::ones({rows}) : at::tensor(how.weights).index_select(0, by_fold.order);
  const at::Tensor unit = units_of(y, type), level = unit.log();
  Fitter fitter(point_loss(type), axes, by_fold, (y / unit).index_select(0, by_fold.order).t().contiguous(), weights,
                threads, progress);
  const auto features = fitter.mixed();
  progress.add((static_cast<uint64_t>(y.size(1)) - features.size()) * of_feature);
  for (const auto& group : chunks_of<int64_t>(features, kGroup)) fitter.choose_penalties(group);
  const auto chunks = chunks_of<int64_t>(features, kChunk);
  parallel_for(std::ssize(chunks), threads, [&](int64_t chunk) {
    fitter.fit(chunks[static_cast<size_t>(chunk)]);
    progress.add(chunks[static_cast<size_t>(chunk)].size());
  });
  const auto models_of = [axes, level](const at::Tensor& fitted) {
    auto models = axes.models(fitted);
    models.bias += level;
    return models;
  };
  LinearFit fit{models_of(fitter.weights()), at::empty({rows, y.size(1)}, at::kFloat), {}};
  fit.of_others = [models_of, all = fitter.of_others()] {
    std::vector<LinearModels> models;
    for (const auto& fitted : all) models.push_back(models_of(fitted));
    return models;
  };
  fit.out_of_fold.index_copy_(0, by_fold.order, fitter.held_out().t() + level);
  return fit;
}

}  // namespace bigdna::linear
