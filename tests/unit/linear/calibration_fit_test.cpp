#include "linear/calibration_fit.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace bigdna::linear {
namespace {

using dataset::LabelType;

/// Labels of two features whose log-odds are z.
struct Simulated {
  at::Tensor z, y;
};
Simulated simulate(int64_t rows, double prevalence_logit = 0) {
  Rng rng(7);
  Simulated data{at::zeros({rows, 2}), at::zeros({rows, 2})};
  auto z = data.z.accessor<float, 2>(), y = data.y.accessor<float, 2>();
  for (int64_t i = 0; i < rows; ++i)
    for (int f = 0; f < 2; ++f) {
      z[i][f] = static_cast<float>(4 * rng.uniform() - 2 + prevalence_logit);
      y[i][f] = rng.uniform() < 1 / (1 + std::exp(-z[i][f]));
    }
  return data;
}
const std::vector<std::string> kApart{"a", "b"}, kTogether{"a", "a"};

TEST(Calibration, FindsScaleAndShift) {
  const auto data = simulate(4000);
  const auto right = fit_calibration(data.z, data.y, kApart, LabelType::multilabel);
  for (const double scale : right.scale) EXPECT_NEAR(scale, 1, 0.15);
  for (const double shift : right.shift) EXPECT_NEAR(shift, 0, 0.15);
  const auto bold = fit_calibration(data.z * 3 + 1, data.y, kApart, LabelType::multilabel);
  EXPECT_NEAR(bold.scale[0], right.scale[0] / 3, 1e-4);
  EXPECT_NEAR(bold.shift[0], right.shift[0] - right.scale[0] / 3, 1e-3);
  // any shift, where there are rows to tell it
  EXPECT_NEAR(fit_calibration(data.z + 9, data.y, kApart, LabelType::multilabel).shift[1],
              right.shift[1] - 9 * right.scale[1], 1e-2);
  const auto together = fit_calibration(data.z, data.y, kTogether, LabelType::multilabel);
  EXPECT_EQ(together.scale[0], together.scale[1]);
}

/// Where logits tell nearly all labels, Newton's full steps jump from side to side of the least loss.
TEST(Calibration, MeansAreTheLabelsWhereNearlyAllAreToldRight) {
  for (const double apart : {1., 3., 6., 12., 30.})
    for (const int wrong : {0, 1, 5, 40})
      for (const double share : {0.03, 0.2, 0.5}) {
        Rng rng(mix({static_cast<uint64_t>(wrong), static_cast<uint64_t>(10 * apart)}));
        const int64_t rows = 1000;
        at::Tensor z = at::zeros({rows, 2}), y = at::zeros({rows, 2});
        for (int f = 0; f < 2; ++f)
          for (int64_t i = 0; i < rows; ++i) {
            const bool label = static_cast<double>(i) < share * static_cast<double>(rows);
            y[i][f] = static_cast<float>(label != (i % 97 < 1 && i / 97 < wrong));
            z[i][f] = static_cast<float>((label ? apart : -apart) + 2 * rng.uniform() - 1 + 3 * f);
          }
        const auto fitted = fit_calibration(z, y, kTogether, LabelType::multilabel);
        for (int f = 0; f < 2; ++f) {
          const auto column = static_cast<size_t>(f);
          const at::Tensor p = at::sigmoid(z.select(1, f) * fitted.scale[column] + fitted.shift[column]);
          const double labels = y.select(1, f).sum().item<double>(), none = static_cast<double>(rows) - labels;
          const double mean = (labels * (labels + 1) / (labels + 2) + none / (none + 2)) / static_cast<double>(rows);
          EXPECT_NEAR(p.mean().item<double>(), mean, 1e-5) << apart << ' ' << wrong << ' ' << share;
        }
      }
}

/// Two methods that rank rows alike have the same calibrated logits, however they were fitted: what makes their calls
/// comparable.
TEST(Calibration, MethodsThatRankAlikeEndAlike) {
  const auto data = simulate(500, -1.5);
  const auto calibrated = [&](const at::Tensor& z) {
    const auto fitted = fit_calibration(z, data.y, kApart, LabelType::multilabel);
    std::vector<double> logits(z.const_data_ptr<float>(), z.const_data_ptr<float>() + z.numel());
    fitted.apply(logits);
    return logits;
  };
  const auto one = calibrated(data.z), other = calibrated((data.z * 0.4 + 2).contiguous());
  for (size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], other[i], 2e-3);
}

TEST(Calibration, OfOneClassNothingIsKnown) {
  const auto data = simulate(100);
  const auto none = fit_calibration(data.z, at::zeros_like(data.y), kApart, LabelType::multilabel);
  EXPECT_EQ(none.scale, (std::vector<double>{1, 1}));
  EXPECT_EQ(none.shift, (std::vector<double>{0, 0}));
}

/// The mean probability of the second label.
double mean_probability(const models::Calibration& calibration, const at::Tensor& z) {
  return at::sigmoid(calibration.scale[1] * z.select(1, 1).to(at::kDouble) + calibration.shift[1])
      .mean()
      .item<double>();
}

TEST(Calibration, ALabelOfFewHasItsShare) {
  const std::vector<double> shares{0.5, 0.1};
  auto data = simulate(400);
  data.y.select(1, 1).fill_(0);
  for (const int64_t positives : {0, 9}) {
    data.y.select(1, 1).narrow(0, 0, positives).fill_(1);
    const auto fitted = fit_calibration(data.z * 3 + 9, data.y, kTogether, LabelType::multilabel, shares);
    EXPECT_NEAR(mean_probability(fitted, data.z * 3 + 9), 0.1, 1e-6);
    EXPECT_LT(fitted.scale[1], 0.6) << "the scale is its group's";
  }
  data.y.select(1, 1).narrow(0, 0, 10).fill_(1);
  const auto fitted = fit_calibration(data.z * 3 + 9, data.y, kTogether, LabelType::multilabel, shares);
  EXPECT_NEAR(mean_probability(fitted, data.z * 3 + 9), 0.025, 0.005) << "ten rows are enough";
  data.y.select(1, 1).fill_(1);
  const auto constant = fit_calibration(data.z, data.y, kTogether, LabelType::multilabel, shares);
  EXPECT_NEAR(mean_probability(constant, data.z), 0.1, 1e-6);
}

TEST(Calibration, ShiftsGiveTheMeanProbabilitiesThatAreAskedFor) {
  const auto data = simulate(500);
  const auto shifts = shifts_to_shares(data.z * 3, std::vector<double>{0.01, 0.7});
  EXPECT_NEAR(at::sigmoid(data.z.select(1, 0) * 3 + shifts[0]).mean().item<double>(), 0.01, 1e-6);
  EXPECT_NEAR(at::sigmoid(data.z.select(1, 1) * 3 + shifts[1]).mean().item<double>(), 0.7, 1e-6);
}

TEST(Calibration, RowsThatAreRankedPerfectlyCallForNoCertainty) {
  const at::Tensor y = at::arange(40).remainder(2).to(at::kFloat).unsqueeze(1);
  const auto kept = fit_calibration(8 * y - 4, y, {"a"}, LabelType::binary);
  EXPECT_NEAR(4 * kept.scale[0], std::log(21.0), 0.01);  // Platt's 21 / 22 of the positives, 1 / 22 of the negatives
  const at::Tensor classes = at::cat({y, 1 - y}, 1);
  const auto of_classes = fit_calibration(8 * classes - 4, classes, kTogether, LabelType::classes);
  EXPECT_NEAR(8 * of_classes.scale[0], std::log(41.0), 0.01);  // 41 / 42
  EXPECT_EQ(of_classes.shift, (std::vector<double>{0, 0}));
}

TEST(Calibration, FewRowsChangeNothing) {
  const auto scale_of = [](int64_t rows) {
    const at::Tensor y = at::arange(rows).remainder(2).to(at::kFloat).unsqueeze(1);
    return fit_calibration(8 * y - 4, y, {"a"}, LabelType::binary).scale[0];
  };
  EXPECT_EQ(scale_of(19), 1);  // nine of the rarer value
  EXPECT_LT(scale_of(20), 1);
}

TEST(Calibration, AConstantGetsTheLabelsOdds) {
  at::Tensor y = at::zeros({100, 1});
  y.narrow(0, 0, 20).fill_(1);
  for (const double z : {0., 3.}) {
    const auto fitted = fit_calibration(at::full_like(y, z), y, {"a"}, LabelType::binary);
    EXPECT_NEAR(1 / (1 + std::exp(-fitted.scale[0] * z - fitted.shift[0])), 0.2, 0.01) << z;
  }
}

TEST(Calibration, NumbersKeepTheirMean) {
  Rng rng(3);
  at::Tensor z = at::zeros({400, 1}), y = at::zeros({400, 1});
  for (int64_t i = 0; i < 400; ++i) {
    z[i][0] = rng.normal();
    y[i][0] = 2 * z[i][0].item<double>() + 5 + rng.normal();
  }
  const auto fitted = fit_calibration(z, y, {"a"}, LabelType::regression);
  EXPECT_NEAR(fitted.scale[0], 2, 0.2);
  EXPECT_EQ(fitted.shift[0], 0);
}

TEST(Calibration, CountsHaveOneFactorUnderWhichTotalsAgree) {
  Rng rng(3);
  at::Tensor z = at::zeros({200, 2}), y = at::zeros({200, 2});
  for (int64_t i = 0; i < 200; ++i) {
    z[i][0] = 3 * rng.uniform();
    z[i][1] = rng.uniform() - 2;
    y[i][0] = static_cast<double>(rng.below(9));  // the second track has no counts at all
  }
  const auto fitted = fit_calibration(z, y, kTogether, LabelType::counts);
  EXPECT_EQ(fitted.scale, (std::vector<double>{1, 1})) << "no Platt scaling";
  EXPECT_NEAR((z.select(1, 0) + fitted.shift[0]).exp().sum().item<double>(), y.select(1, 0).sum().item<double>(), 1e-2);
  EXPECT_EQ(fitted.shift[1], 0) << "nothing is known";
}

TEST(Calibration, ScaleOfCountsIsTheOneOfLeastDeviance) {
  Rng rng(5);
  at::Tensor z = at::zeros({4000, 1}, at::kDouble), y = at::zeros({4000, 1}, at::kDouble);
  for (int64_t i = 0; i < 4000; ++i) {
    const double logit = 2 * rng.uniform() - 1;
    z[i][0] = 3 * logit + 1;
    double count = 0;  // Poisson's, by the times between reads
    for (double left = 4 * std::exp(logit); (left += std::log(1 - rng.uniform())) > 0;) ++count;
    y[i][0] = count;
  }
  const auto fitted = calibrate(z, y, LabelType::counts);
  EXPECT_NEAR(fitted.scale, 1. / 3, 0.02);
  EXPECT_NEAR(fitted.shift[0].item<double>(), std::log(4) - 1. / 3, 0.05);
}

}  // namespace
}  // namespace bigdna::linear
