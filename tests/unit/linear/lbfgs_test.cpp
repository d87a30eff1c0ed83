#include "linear/lbfgs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace bigdna::linear {
namespace {

template <class Real>
class LbfgsOf : public testing::Test {
 protected:
  /// A loss of four weights that mixes them, of which the last `biases` have no penalty: sum of cosh(row w - 1).
  static double loss(std::span<const Real> w, std::vector<Real>& gradient) {
    constexpr double kRows[][4] = {{3, 1, 0, 1}, {0, 0.1, 2, 1}, {1, -1, 1, -2}, {0.5, 0, 0, 1}, {0, 0, 1, -1}};
    gradient.assign(4, 0);
    double total = 0;
    for (const auto& row : kRows) {
      double z = -1;
      for (size_t i = 0; i < 4; ++i) z += row[i] * static_cast<double>(w[i]);
      total += std::cosh(z);
      for (size_t i = 0; i < 4; ++i) gradient[i] += static_cast<Real>(row[i] * std::sinh(z));
    }
    return total;
  }
  /// The largest part of the penalised loss's gradient, which is 0 at the minimum.
  static double steepness(std::span<const Real> w, double penalty, size_t biases) {
    std::vector<Real> gradient;
    loss(w, gradient);
    double most = 0;
    for (size_t i = 0; i < 4; ++i)
      most = std::max(most, std::abs(static_cast<double>(gradient[i]) +
                                     (i + biases < 4 ? penalty * static_cast<double>(w[i]) : 0)));
    return most;
  }
  const std::vector<Real> start_ = {0, 0, 0, 0}, variance_ = {10, 2, 6, 8};
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(LbfgsOf, Reals);

TYPED_TEST(LbfgsOf, EndsWhereTheGradientOfEachPenaltyIsZero) {
  const bool exact = std::is_same_v<TypeParam, double>;
  for (const size_t biases : {1, 2}) {
    Lbfgs<TypeParam> solver(this->start_,
                            {.variance = this->variance_, .tolerance = exact ? 1e-15 : 1e-7, .biases = biases});
    std::vector<TypeParam> gradient;
    std::vector<double> sizes;
    for (const double penalty : {100., 1., 0.01}) {
      for (bool on = solver.begin(penalty); on;) {
        const double loss = this->loss(solver.point(), gradient);
        on = solver.advance(loss, gradient);
      }
      EXPECT_LT(this->steepness(solver.point(), penalty, biases), exact ? 1e-5 : 2e-2) << penalty;
      sizes.push_back(std::abs(static_cast<double>(solver.point()[0])));
    }
    EXPECT_LT(sizes[0], sizes[1]);
    EXPECT_LT(sizes[1], sizes[2]);
  }
}

TYPED_TEST(LbfgsOf, AMinimumIsTheEnd) {
  const std::vector<TypeParam> zeros(4, 0);
  Lbfgs<TypeParam> solver(this->start_, {.variance = this->variance_});
  EXPECT_TRUE(solver.begin(1));
  EXPECT_FALSE(solver.advance(5, zeros));
  EXPECT_FALSE(solver.begin(0.1));
  EXPECT_EQ(std::vector<TypeParam>(solver.point().begin(), solver.point().end()), this->start_);
}

}  // namespace
}  // namespace bigdna::linear
