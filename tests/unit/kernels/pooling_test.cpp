// The kernels between a network's convolutions against double, on every instruction set this processor has.
#include "kernels/pooling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/floats.h"
//
#include "kernels/on_target.h"

namespace bigdna::kernels {
namespace {

using PoolingKernels = OnTarget;

TEST_P(PoolingKernels, MaximaAndTheirGradients) {
  for (const int64_t width : {1, 4, 10, 255})
    for (const auto& [rows, columns] : kRowShapes) {
      const Floats x = random_floats(rows * width * columns, 1), grad = random_floats(rows * columns, 2);
      Floats out(grad.size()), grad_x(x.size(), 7.f);
      std::vector<uint8_t> winner(out.size());
      const Rows shape{Precision::fp32, rows, columns};
      max_pool(shape, width, x.data(), out.data(), winner.data());
      max_pool_backward(shape, width, winner.data(), grad.data(), grad_x.data());
      Floats expected(x.size(), 0.f), largest;
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column < columns; ++column) {
          const auto at = [&](int64_t k) { return static_cast<size_t>((row * width + k) * columns + column); };
          int64_t best = 0;
          for (int64_t k = 1; k < width; ++k)
            if (x[at(k)] > x[at(best)]) best = k;
          largest.push_back(x[at(best)]);
          expected[at(best)] = grad[static_cast<size_t>(row * columns + column)];
        }
      EXPECT_EQ(out, largest);
      EXPECT_EQ(grad_x, expected);
    }
}

TEST_P(PoolingKernels, TheFirstOfEqualMaximaGetsTheGradientAndNaNIsHandedOn) {
  const Floats x{1, 2, 1, std::nanf("")};  // two rows of two columns
  Floats out(2), grad_x(4);
  std::vector<uint8_t> winner(2);
  const Rows shape{Precision::fp32, 1, 2};
  max_pool(shape, 2, x.data(), out.data(), winner.data());
  EXPECT_EQ(out[0], 1);
  EXPECT_TRUE(std::isnan(out[1]));
  const Floats grad{5, 6};
  max_pool_backward(shape, 2, winner.data(), grad.data(), grad_x.data());
  EXPECT_EQ(grad_x, (Floats{5, 0, 0, 6}));
}

TEST_P(PoolingKernels, NormAndGeluWithTheirGradients) {
  constexpr double kEpsilon = 0.01;
  for (const bool normalise : {true, false})
    for (const auto& [rows, columns] : kRowShapes) {
      const int64_t count = rows * columns;
      const Floats x = random_floats(count, 1), grad = random_floats(count, 2), weight = random_floats(columns, 3),
                   shift = random_floats(columns, 4);
      Floats out(x.size()), mean(static_cast<size_t>(rows)), scale(mean.size()), grad_x(x.size()),
          grad_weight(weight.size()), grad_shift(weight.size());
      NormGelu p;
      p.shape = {Precision::fp32, rows, columns};
      p.x = x.data(), p.weight = weight.data(), p.shift = shift.data(), p.epsilon = kEpsilon, p.normalise = normalise;
      p.out = out.data();
      if (normalise) p.mean = mean.data(), p.scale = scale.data();
      norm_gelu(p);
      norm_gelu_backward(p, grad.data(), grad_x.data(), grad_weight.data(), grad_shift.data());

      std::vector<double> e_out, e_x, e_weight(weight.size()), e_shift(weight.size());
      for (int64_t row = 0; row < rows; ++row) {
        const auto at = [&](size_t column) { return static_cast<size_t>(row * columns) + column; };
        const double share = 1 / static_cast<double>(columns);
        double m = 0, variance = 0, inner = 0, product = 0;
        for (size_t c = 0; c < weight.size(); ++c) m += x[at(c)] * share;
        for (size_t c = 0; c < weight.size(); ++c) variance += (x[at(c)] - m) * (x[at(c)] - m) * share;
        if (!normalise) m = 0, variance = 1 - kEpsilon;
        const double factor = 1 / std::sqrt(variance + kEpsilon), k = std::sqrt(2 / M_PI);
        std::vector<double> back;
        for (size_t c = 0; c < weight.size(); ++c) {
          const double normed = (x[at(c)] - m) * factor, y = normed * weight[c] + shift[c];
          const double t = std::tanh(k * (y + 0.044715 * y * y * y));
          e_out.push_back(y * (1 + t) / 2);
          const double g = grad[at(c)] * ((1 + t) / 2 + y * (1 - t * t) / 2 * k * (1 + 3 * 0.044715 * y * y));
          e_weight[c] += g * normed, e_shift[c] += g;
          back.push_back(g * weight[c]);
          if (normalise) inner += back[c] * share, product += back[c] * normed * share;
        }
        for (size_t c = 0; c < weight.size(); ++c)
          e_x.push_back(factor * (back[c] - inner - (x[at(c)] - m) * factor * product));
      }
      EXPECT_LT(error(out, e_out), 3e-6) << rows << " x " << columns;
      EXPECT_LT(error(grad_x, e_x), 1e-5);
      EXPECT_LT(error(grad_weight, e_weight), 1e-5);
      EXPECT_LT(error(grad_shift, e_shift), 1e-5);
    }
}

INSTANTIATE_TEST_SUITE_P(targets, PoolingKernels, testing::ValuesIn(targets()), target_name);

}  // namespace
}  // namespace bigdna::kernels
