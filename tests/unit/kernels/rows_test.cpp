// The row kernels against double, on every instruction set this processor has. tests/unit/model holds them
// against LibTorch.
#include "kernels/rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/rng.h"
#include "kernels/dropout.h"
#include "kernels/floats.h"
//
#include "kernels/on_target.h"

namespace bigdna::kernels {
namespace {

using RowKernels = OnTarget;

TEST_P(RowKernels, bias_gelu) {
  for (const auto& [rows, columns] : kRowShapes) {
    const Floats x = random_floats(rows * columns, 1), bias = random_floats(columns, 2),
                 grad = random_floats(rows * columns, 3);
    Floats out(x.size()), grad_x(x.size()), grad_bias(bias.size());
    const Rows shape{Precision::fp32, rows, columns};
    bias_gelu(shape, x.data(), bias.data(), out.data());
    bias_gelu_backward(shape, x.data(), bias.data(), grad.data(), grad_x.data(), grad_bias.data());
    std::vector<double> value, derivative, sums(bias.size());
    for (size_t i = 0; i < x.size(); ++i) {
      const size_t column = i % bias.size();
      const double v = double{x[i]} + bias[column], c = std::sqrt(2 / M_PI),
                   t = std::tanh(c * (v + 0.044715 * v * v * v));
      value.push_back(v * (1 + t) / 2);
      derivative.push_back(grad[i] * ((1 + t) / 2 + v * (1 - t * t) / 2 * c * (1 + 3 * 0.044715 * v * v)));
      sums[column] += derivative.back();
    }
    EXPECT_LT(error(out, value), 1e-6);
    EXPECT_LT(error(grad_x, derivative), 2e-6);
    EXPECT_LT(error(grad_bias, sums), 2e-6);
  }
}

TEST_P(RowKernels, residual_norm) {
  constexpr double kEpsilon = 0.01;
  constexpr uint64_t kSeed = 0xfedcba9876543210;
  for (const double dropout : {0.0, 0.25})
    for (const auto& [rows, columns] : kRowShapes) {
      const int64_t count = rows * columns;
      const Floats x = random_floats(count, 1), residual = random_floats(count, 2), grad = random_floats(count, 3);
      const Floats bias = random_floats(columns, 4), weight = random_floats(columns, 5),
                   shift = random_floats(columns, 6);
      Floats out(x.size()), sum(x.size()), mean(static_cast<size_t>(rows)), scale(mean.size());
      ResidualNormBackward b;
      ResidualNorm& p = b.forward;
      p.shape = {Precision::fp32, rows, columns};
      p.x = x.data(), p.residual = residual.data(), p.bias = bias.data(), p.weight = weight.data(),
      p.shift = shift.data();
      p.epsilon = kEpsilon, p.dropout = dropout, p.dropout_seed = kSeed;
      p.sum = sum.data(), p.mean = mean.data(), p.scale = scale.data(), p.out = out.data();
      residual_norm(p);
      Floats grad_residual(x.size()), grad_x(x.size()), grad_bias(bias.size()), grad_weight(bias.size()),
          grad_shift(bias.size());
      b.grad_out = grad.data(), b.grad_residual = grad_residual.data(), b.grad_x = grad_x.data();
      b.grad_bias = grad_bias.data(), b.grad_weight = grad_weight.data(), b.grad_shift = grad_shift.data();
      residual_norm_backward(b);
      if (dropout == 0) grad_x = grad_residual;

      const uint32_t threshold = dropout_threshold(dropout);
      const auto kept = [&](int64_t i) {  // model::dropout's mask
        const auto group = static_cast<uint64_t>(i) / 8;
        const auto words = philox({static_cast<uint32_t>(group), static_cast<uint32_t>(group >> 32), 0, 1},
                                  {static_cast<uint32_t>(kSeed), static_cast<uint32_t>(kSeed >> 32)});
        return (words[static_cast<size_t>(i % 8 / 2)] >> (i % 2 * 16) & 0xFFFF) >= threshold
                   ? double{dropout_scale(threshold)}
                   : 0.0;
      };
      std::vector<double> e_out, e_residual, e_x, e_bias(bias.size()), e_weight(bias.size()), e_shift(bias.size());
      for (int64_t row = 0; row < rows; ++row) {
        std::vector<double> s;
        double m = 0, variance = 0, inner = 0, product = 0;
        for (int64_t i = row * columns; i < (row + 1) * columns; ++i) {
          const auto at = static_cast<size_t>(i), column = static_cast<size_t>(i - row * columns);
          s.push_back(residual[at] + kept(i) * (double{x[at]} + bias[column]));
          m += s.back() / static_cast<double>(columns);
        }
        for (const double v : s) variance += (v - m) * (v - m) / static_cast<double>(columns);
        const double factor = 1 / std::sqrt(variance + kEpsilon);
        for (size_t column = 0; column < s.size(); ++column) {
          const double normal = (s[column] - m) * factor, g = grad[static_cast<size_t>(row * columns) + column];
          e_out.push_back(normal * weight[column] + shift[column]);
          e_weight[column] += g * normal, e_shift[column] += g;
          inner += g * weight[column] / static_cast<double>(columns);
          product += g * weight[column] * normal / static_cast<double>(columns);
        }
        for (size_t column = 0; column < s.size(); ++column) {
          const size_t at = static_cast<size_t>(row * columns) + column;
          const double normal = (s[column] - m) * factor;
          e_residual.push_back(factor * (grad[at] * weight[column] - inner - normal * product));
          e_x.push_back(kept(static_cast<int64_t>(at)) * e_residual.back());
          e_bias[column] += e_x.back();
        }
      }
      EXPECT_LT(error(out, e_out), 3e-6) << rows << " x " << columns;
      EXPECT_LT(error(grad_residual, e_residual), 1e-5);
      EXPECT_LT(error(grad_x, e_x), 1e-5);
      EXPECT_LT(error(grad_bias, e_bias), 1e-5);
      EXPECT_LT(error(grad_weight, e_weight), 1e-5);
      EXPECT_LT(error(grad_shift, e_shift), 1e-5);
    }
}

INSTANTIATE_TEST_SUITE_P(targets, RowKernels, testing::ValuesIn(targets()), target_name);

}  // namespace
}  // namespace bigdna::kernels
