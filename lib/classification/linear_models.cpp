#include "classification/linear_models.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/isinf.h>
#include <ATen/ops/linalg_eigh.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <vector>

#include "base/error.h"
#include "base/threads.h"
#include "session/stream.h"

namespace bigdna::classification {

namespace {
constexpr double kPenalties[] = {3, 1, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001};  // strongest first: each fit starts from the one before
constexpr int64_t kChunk = 32;  // features that are fitted together; fixed, so that no number depends on the threads

/// The rows in the coordinates of their principal axes: the Hessian is nearly diagonal there, so that a few steps suffice,
/// and there are no more of them than rows. The penalty is the same in both.
struct Axes {
  at::Tensor mean, scale;  // [columns]: standardised = (x - mean) * scale
  at::Tensor basis;        // [columns, axes]
  at::Tensor rows;         // [rows, axes + 1]: the last is 1, for the bias
  at::Tensor variance;     // [axes + 1]

  explicit Axes(const at::Tensor& x) {
    const at::Tensor values = x.to(at::kDouble);
    mean = values.mean(0);
    const at::Tensor variances = (values - mean).square().mean(0);
    scale = at::where(variances > 1e-18, variances.clamp_min(1e-300).rsqrt(), at::zeros_like(variances));  // a constant column says nothing
    const at::Tensor standardised = (values - mean) * scale;
    const bool wide = x.size(0) < x.size(1);
    const auto [squares, vectors] = at::linalg_eigh(wide ? standardised.matmul(standardised.t()) : standardised.t().matmul(standardised));
    const at::Tensor kept = (squares > std::max(1e-10 * squares.max().item<double>(), 1e-12)).nonzero().view({-1});
    const at::Tensor chosen = squares.index_select(0, kept), axes = vectors.index_select(1, kept);
    basis = wide ? standardised.t().matmul(axes) * chosen.rsqrt() : axes;
    rows = at::cat({standardised.matmul(basis), at::ones({x.size(0), 1}, at::kDouble)}, 1).to(at::kFloat).contiguous();
    variance = at::cat({chosen / static_cast<double>(x.size(0)), at::ones({1}, at::kDouble)}).to(at::kFloat);
  }

  /// Weights [axes + 1, features] as models of the columns as they are.
  LinearModels models(const at::Tensor& weights) const {
    const at::Tensor of_axes = weights.to(at::kDouble), last = of_axes.select(0, of_axes.size(0) - 1);
    const at::Tensor w = basis.matmul(of_axes.narrow(0, 0, of_axes.size(0) - 1)) * scale.unsqueeze(1);
    return {w.t().to(at::kFloat).contiguous(), (last - mean.matmul(w)).to(at::kFloat).contiguous()};
  }
};

at::Tensor log_losses(const at::Tensor& z, const at::Tensor& y) { return at::softplus(z) - y * z; }

at::Tensor log_odds(const at::Tensor& y) {
  const at::Tensor ones = y.sum(0), zeros = static_cast<double>(y.size(0)) - ones;
  return ((ones + 0.5) / (zeros + 0.5)).log();
}

/// L-BFGS for several features at once, each with its own history and step (Nocedal and Wright, algorithm 7.5, with a
/// backtracking line search), begun from the diagonal of the Hessian.
class Minimiser {
 public:
  Minimiser(const at::Tensor& rows, const at::Tensor& variance, const at::Tensor& y)
      : rows_(rows), transposed_(rows.t().contiguous()), variance_(variance), y_(y) {
    const at::Tensor share = y.mean(0);
    free_ = ((share > 0) & (share < 1)).to(at::kFloat);
    curvature_ = (share * (1 - share)).clamp_min(1e-4);
    weights_ = at::zeros({rows.size(1), y.size(1)}, at::kFloat);
    weights_.select(0, rows.size(1) - 1).copy_(log_odds(y));
  }

  /// Goes on from the weights of the penalty before.
  const at::Tensor& fit(double penalty) {
    at::Tensor penalties = at::full({rows_.size(1), 1}, penalty, at::kFloat);
    penalties.select(0, rows_.size(1) - 1).zero_();
    const at::Tensor diagonal = variance_.unsqueeze(1) * curvature_ + penalties;
    struct Pair {
      at::Tensor s, y, rho;
    };
    std::deque<Pair> pairs;
    at::Tensor gradient, loss = evaluate(weights_, penalties, gradient), open = free_.clone();
    for (int iteration = 0; iteration < 40 && open.sum().item<float>() > 0; ++iteration) {
      at::Tensor direction = gradient * open;
      std::vector<at::Tensor> alpha(pairs.size());
      for (size_t i = pairs.size(); i-- > 0;) {
        alpha[i] = pairs[i].rho * (pairs[i].s * direction).sum(0);
        direction = direction - alpha[i] * pairs[i].y;
      }
      direction = direction / diagonal;
      for (size_t i = 0; i < pairs.size(); ++i)
        direction = direction + (alpha[i] - pairs[i].rho * (pairs[i].y * direction).sum(0)) * pairs[i].s;
      direction = direction * open;
      const at::Tensor slope = (gradient * direction).sum(0);
      at::Tensor step = open.clone(), next, next_loss, next_gradient;
      for (int tries = 0; tries < 12; ++tries) {
        next = weights_ - step * direction;
        next_loss = evaluate(next, penalties, next_gradient);
        const at::Tensor worse = (next_loss > loss - 1e-4 * step * slope + 1e-7 * loss).to(at::kFloat) * open;
        if (worse.sum().item<float>() == 0) break;
        step = step * (1 - worse * (tries < 11 ? 0.5 : 1.0));  // what does not fall at all stays where it is
        if (tries == 11) {
          next = weights_ - step * direction;
          next_loss = evaluate(next, penalties, next_gradient);
        }
      }
      Pair pair{next - weights_, next_gradient - gradient, {}};
      const at::Tensor product = (pair.s * pair.y).sum(0);
      pair.rho = at::where(product > 1e-12, 1 / product.clamp_min(1e-12), at::zeros_like(product));
      pairs.push_back(std::move(pair));
      if (pairs.size() > 10) pairs.pop_front();
      open = open * ((loss - next_loss) > 2e-6 * loss).to(at::kFloat);
      weights_ = next;
      gradient = next_gradient;
      loss = next_loss;
    }
    return weights_;
  }

 private:
  at::Tensor evaluate(const at::Tensor& weights, const at::Tensor& penalties, at::Tensor& gradient) const {
    const at::Tensor z = rows_.matmul(weights), penalised = penalties * weights;
    gradient = transposed_.matmul((at::sigmoid(z) - y_) / static_cast<double>(y_.size(0))) + penalised;
    return log_losses(z, y_).mean(0) + (penalised * weights).sum(0) / 2;
  }

  at::Tensor rows_, transposed_, variance_, y_, free_, curvature_, weights_;
};

/// Places of the rows of a fold, or of all others.
at::Tensor places(std::span<const int64_t> folds, int64_t fold, bool inside) {
  std::vector<int64_t> chosen;
  for (size_t i = 0; i < folds.size(); ++i)
    if ((folds[i] == fold) == inside) chosen.push_back(static_cast<int64_t>(i));
  return at::tensor(chosen, at::kLong);
}
}  // namespace

at::Tensor LinearModels::logits(const at::Tensor& x) const { return at::addmm(bias, x, weight.t()); }

LinearFit fit_linear_models(const at::Tensor& x, const at::Tensor& y, std::span<const int64_t> folds, int threads) {
  const int64_t rows = x.size(0), features = y.size(1);
  if (rows == 0 || y.size(0) != rows || static_cast<int64_t>(folds.size()) != rows)
    fail("logistic regression: ", rows, " rows, labels of ", y.size(0), ", folds of ", folds.size());
  const c10::NoGradGuard no_grad;
  const session::OneThreadPerOperation guard;
  const Axes axes(x);
  const int64_t fold_count = *std::max_element(folds.begin(), folds.end()) + 1, chunks = (features + kChunk - 1) / kChunk;
  constexpr auto kCount = static_cast<int64_t>(std::size(kPenalties));

  const int64_t columns = axes.rows.size(1);
  at::Tensor held_out = at::zeros({kCount, rows, features}, at::kFloat);                   // logits
  at::Tensor of_folds = at::full({kCount, fold_count, features}, INFINITY, at::kFloat);    // their losses
  at::Tensor fitted = at::zeros({kCount, columns, features}, at::kFloat);                  // on all rows
  parallel_for(chunks * fold_count, threads, [&](int64_t job) {
    const c10::NoGradGuard no_grad_here;
    const int64_t fold = job / chunks, first = job % chunks * kChunk, count = std::min(kChunk, features - first);
    const at::Tensor inside = places(folds, fold, true), others = places(folds, fold, false);
    const at::Tensor labels = y.narrow(1, first, count), truth = labels.index_select(0, inside);
    Minimiser minimiser(axes.rows.index_select(0, others), axes.variance, labels.index_select(0, others));
    const at::Tensor left_out = axes.rows.index_select(0, inside);
    at::Tensor best;
    for (int64_t p = 0, worse = 0; p < kCount && worse < 2; ++p) {  // the path ends where twice no feature gained
      const at::Tensor logits = left_out.matmul(minimiser.fit(kPenalties[p])), losses = log_losses(logits, truth).sum(0);
      held_out.select(0, p).narrow(1, first, count).index_copy_(0, inside, logits);
      of_folds.select(0, p).select(0, fold).narrow(0, first, count).copy_(losses);
      worse = p == 0 || (losses < best).any().item<bool>() ? 0 : worse + 1;
      best = p == 0 ? losses : at::minimum(best, losses);
    }
  });

  const at::Tensor total = of_folds.sum(1), penalty_of = total.argmin(0);
  parallel_for(chunks, threads, [&](int64_t chunk) {
    const c10::NoGradGuard no_grad_here;
    const int64_t first = chunk * kChunk, count = std::min(kChunk, features - first);
    Minimiser minimiser(axes.rows, axes.variance, y.narrow(1, first, count));
    const auto last = penalty_of.narrow(0, first, count).max().item<int64_t>();
    for (int64_t p = 0; p <= last; ++p) fitted.select(0, p).narrow(1, first, count).copy_(minimiser.fit(kPenalties[p]));
  });

  const auto chosen = [&](const at::Tensor& values, const at::Tensor& penalty) {  // of [penalties, n, features], by feature
    return values.gather(0, penalty.view({1, 1, features}).expand({1, values.size(1), features})).squeeze(0);
  };
  const auto losses_but = [&](int64_t fold) {  // infinite where any fold's path had ended
    return (total - at::where(of_folds.select(1, fold).isinf(), at::zeros_like(total), of_folds.select(1, fold)));
  };
  LinearFit fit;
  fit.models = axes.models(chosen(fitted, penalty_of));
  fit.out_of_fold = at::empty({rows, features}, at::kFloat);
  for (int64_t fold = 0; fold < fold_count; ++fold) {
    const at::Tensor inside = places(folds, fold, true);
    const at::Tensor penalty = fold_count > 1 ? losses_but(fold).argmin(0) : penalty_of;
    if (inside.numel() > 0) fit.out_of_fold.index_copy_(0, inside, chosen(held_out, penalty).index_select(0, inside));
  }
  return fit;
}

}  // namespace bigdna::classification
