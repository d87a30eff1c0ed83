// The row kernels of modern against double, on every instruction set this processor has.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/error.h"
#include "kernels/floats.h"
#include "kernels/rows.h"
//
#include "kernels/on_target.h"

namespace bigdna::kernels {
namespace {

using ModernRows = OnTarget;

TEST_P(ModernRows, gated_gelu) {
  for (const bool tanh_form : {false, true})
    for (const auto& [rows, columns] : kRowShapes) {
      Floats x = random_floats(2 * rows * columns, 1);
      const Floats grad = random_floats(rows * columns, 2);
      x[0] = 12, x.back() = -30;  // where the density is 0
      for (float& value : x) value *= 2;
      Floats out(grad.size()), grad_x(x.size());
      const Rows shape{Precision::fp32, rows, columns};
      gated_gelu(shape, tanh_form, x.data(), out.data());
      gated_gelu_backward(shape, tanh_form, x.data(), grad.data(), grad_x.data());
      std::vector<double> value(out.size()), derivative(x.size());
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column < columns; ++column) {
          const auto a = static_cast<size_t>(2 * row * columns + column), b = a + static_cast<size_t>(columns),
                     i = static_cast<size_t>(row * columns + column);
          const double v = x[a], c = std::sqrt(2 / M_PI), t = std::tanh(c * (v + 0.044715 * v * v * v));
          const double factor = tanh_form ? (1 + t) / 2 : std::erfc(-v / std::sqrt(2)) / 2;
          const double slope = tanh_form ? factor + v * (1 - t * t) / 2 * c * (1 + 3 * 0.044715 * v * v)
                                         : factor + v * std::exp(-v * v / 2) / std::sqrt(2 * M_PI);
          value[i] = v * factor * x[b];
          derivative[a] = grad[i] * x[b] * slope;
          derivative[b] = grad[i] * v * factor;
        }
      EXPECT_LT(error(out, value), 1e-6) << rows << " x " << columns;
      EXPECT_LT(error(grad_x, derivative), 1e-6) << rows << " x " << columns;
      gated_gelu_backward(shape, tanh_form, x.data(), grad.data(), x.data());
      EXPECT_EQ(x, grad_x);  // in place
    }
}

TEST_P(ModernRows, rotate) {
  constexpr int64_t kN = 5, kSequences = 3, kHeads = 2;
  for (const int64_t head_size : {2, 6, 64}) {
    const int64_t columns = kHeads * head_size, half = head_size / 2, rows = kN * kSequences;
    const auto at = [&](int64_t row, int64_t part, int64_t column) {
      return static_cast<size_t>((3 * row + part) * columns + column);
    };
    Floats qkv = random_floats(3 * rows * columns, 1), cosine, sine;
    for (const float angle : random_floats(kN * half, 2))
      cosine.push_back(std::cos(angle)), sine.push_back(std::sin(angle));
    std::vector<double> expected(qkv.begin(), qkv.end());
    for (int64_t row = 0; row < rows; ++row)
      for (const int64_t part : {0, 1})
        for (int64_t head = 0; head < columns; head += head_size)
          for (int64_t f = 0; f < half; ++f) {
            const double c = cosine[static_cast<size_t>(row % kN * half + f)],
                         s = sine[static_cast<size_t>(row % kN * half + f)];
            const size_t first = at(row, part, head + f), second = at(row, part, head + half + f);
            expected[first] = qkv[first] * c - qkv[second] * s;
            expected[second] = qkv[second] * c + qkv[first] * s;
          }
    const Floats before = qkv;
    Rotary p;
    p.shape = {Precision::fp32, rows, columns};
    p.head_size = head_size, p.n = kN, p.cosine = cosine.data(), p.sine = sine.data();
    rotate(p, qkv.data());
    EXPECT_LT(error(qkv, expected), 1e-6) << head_size;
    // A rotation is orthogonal, so that its gradient is rotated back: that of the result is what came in.
    Floats parts[3];
    for (int64_t row = 0; row < rows; ++row)
      for (const int64_t part : {0, 1, 2})
        for (int64_t column = 0; column < columns; ++column) parts[part].push_back(qkv[at(row, part, column)]);
    Floats back(qkv.size());
    rotate_backward(p, parts[0].data(), parts[1].data(), parts[2].data(), back.data());
    EXPECT_LT(error(back, {before.begin(), before.end()}), 1e-6) << head_size;
  }
}

TEST_P(ModernRows, cross_entropy) {
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{1, 2}, {3, 5}, {40, 33}, {70, 1000}}) {
    Floats logits = random_floats(rows * columns, 1);
    const Floats bias = random_floats(columns, 2), grad = random_floats(rows, 3);
    for (float& value : logits) value = 5 * value - 20;  // padding of a row must not count as 0
    std::vector<int64_t> labels;
    for (int64_t row = 0; row < rows; ++row) labels.push_back(row * 7 % columns);
    labels.back() = columns - 1;
    Floats nats(grad.size()), sums(grad.size()), grad_bias(bias.size());
    const auto right = std::make_unique<bool[]>(grad.size());
    CrossEntropy p;
    p.shape = {Precision::fp32, rows, columns};
    p.logits = logits.data(), p.bias = bias.data(), p.labels = labels.data();
    p.nats = nats.data(), p.log2_sums = sums.data(), p.right = right.get();
    std::vector<double> e_nats, e_logits, e_bias(bias.size());
    std::vector<bool> e_right;
    for (int64_t row = 0; row < rows; ++row) {
      std::vector<double> values;
      for (int64_t column = 0; column < columns; ++column)
        values.push_back(double{logits[static_cast<size_t>(row * columns + column)]} +
                         bias[static_cast<size_t>(column)]);
      double sum = 0;
      for (const double value : values) sum += std::exp(value);
      const auto label = static_cast<size_t>(labels[static_cast<size_t>(row)]);
      e_nats.push_back(std::log(sum) - values[label]);
      e_right.push_back(std::max_element(values.begin(), values.end()) - values.begin() ==
                        labels[static_cast<size_t>(row)]);
      for (size_t column = 0; column < values.size(); ++column) {
        e_logits.push_back(grad[static_cast<size_t>(row)] * (std::exp(values[column]) / sum - (column == label)));
        e_bias[column] += e_logits.back();
      }
    }
    cross_entropy(p);
    EXPECT_LT(error(nats, e_nats), 1e-6) << rows << " x " << columns;
    for (size_t row = 0; row < e_right.size(); ++row) EXPECT_EQ(right[row], e_right[row]) << row;
    cross_entropy_backward(p, grad.data(), grad_bias.data());
    EXPECT_LT(error(logits, e_logits), 5e-6) << rows << " x " << columns;
    EXPECT_LT(error(grad_bias, e_bias), 5e-6) << rows << " x " << columns;
    labels[0] = columns;
    EXPECT_THROW(cross_entropy(p), Error);
  }
}

TEST_P(ModernRows, FirstOfEqualLogitsIsTheLikeliest) {
  Floats logits{0, 2, 1, 2, 0, 2, 1, 2, 0, 2, 1, 2}, bias(4), nats(3);
  const std::vector<int64_t> labels{1, 3, 2};
  bool right[3];
  CrossEntropy p;
  p.shape = {Precision::fp32, 3, 4};
  p.logits = logits.data(), p.bias = bias.data(), p.labels = labels.data(), p.nats = nats.data(), p.right = right;
  cross_entropy(p);
  EXPECT_TRUE(right[0]);
  EXPECT_FALSE(right[1]);
  EXPECT_FALSE(right[2]);
}

INSTANTIATE_TEST_SUITE_P(targets, ModernRows, testing::ValuesIn(targets()), target_name);

}  // namespace
}  // namespace bigdna::kernels
