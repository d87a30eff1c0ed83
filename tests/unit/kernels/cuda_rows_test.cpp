// The GPU's row kernels, run on the CPU by cuda_emulator.h, against the CPU's own (which rows_test.cpp holds against
// double), on the same rounded inputs: every type, whole and partial warps of columns, one and several strips, dropout;
// threads in two orders, whose bits must not differ. tests/gpu checks the same on a GPU.
#include <gtest/gtest.h>

#include "kernels/cuda_emulator.h"
//
#include "kernels/cuda/rows.cuh"
#include "kernels/floats.h"

namespace bigdna::kernels {
namespace {

using emulator::Launch;

template <class T>
std::vector<T> as(const Floats& values) {
  return {values.begin(), values.end()};
}
template <class T>
Floats wide(const std::vector<T>& values) {
  return {values.begin(), values.end()};
}

/// Largest difference, relative to the largest value.
double error(const Floats& ours, const Floats& expected) {
  double difference = 0, largest = 1e-3;
  for (size_t i = 0; i < ours.size(); ++i) {
    if (!(std::abs(ours[i]) < 1e30f)) return INFINITY;
    difference = std::max(difference, std::abs(double{ours[i]} - expected[i]));
    largest = std::max(largest, std::abs(double{expected[i]}));
  }
  return difference / largest;
}

template <class T>
constexpr Precision kPrecision = std::is_same_v<T, float>    ? Precision::fp32
                                 : std::is_same_v<T, __half> ? Precision::fp16
                                                             : Precision::bf16;
template <class T>
// twice the type's rounding
constexpr double kUnit = std::is_same_v<T, float>    ? 3e-6
                         : std::is_same_v<T, __half> ? 2e-3
                                                     : 1.6e-2;
constexpr int64_t kShapes[][2] = {{1, 8}, {3, 264}, {70, 256}, {5, 768}, {33, 1024}};

/// Everything a pass over random rows gives, in floats; `run` calls the kernels, on activations of type T.
struct NormResult {
  Floats out, sum, mean, scale, grad_residual, grad_x, grad_bias, grad_weight, grad_shift;
  bool operator==(const NormResult&) const = default;
};
template <class T, class Run>
NormResult norm(int64_t rows, int64_t columns, double dropout, Run run) {
  const auto x = as<T>(random_floats(rows * columns, 1)), residual = as<T>(random_floats(rows * columns, 2)),
             grad = as<T>(random_floats(rows * columns, 3));
  const Floats bias = random_floats(columns, 4), weight = random_floats(columns, 5), shift = random_floats(columns, 6);
  std::vector<T> out(x.size()), sum = out, grad_residual = out, grad_x = out;
  NormResult r;
  r.mean.resize(static_cast<size_t>(rows)), r.scale = r.mean;
  r.grad_bias.resize(bias.size()), r.grad_weight = r.grad_bias, r.grad_shift = r.grad_bias;
  ResidualNormBackward b;
  ResidualNorm& p = b.forward;
  p.shape = {kPrecision<T>, rows, columns};
  p.x = x.data(), p.residual = residual.data(), p.bias = bias.data(), p.weight = weight.data(), p.shift = shift.data();
  p.epsilon = 0.01f, p.dropout = dropout, p.dropout_seed = 0xfedcba9876543210;
  p.sum = sum.data(), p.mean = r.mean.data(), p.scale = r.scale.data(), p.out = out.data();
  b.grad_out = grad.data(), b.grad_residual = grad_residual.data(), b.grad_x = grad_x.data();
  b.grad_bias = r.grad_bias.data(), b.grad_weight = r.grad_weight.data(), b.grad_shift = r.grad_shift.data();
  run(b);
  r.out = wide(out), r.sum = wide(sum), r.grad_residual = wide(grad_residual), r.grad_x = wide(grad_x);
  // Without gradients it writes over x and keeps nothing.
  std::vector<T> in_place = x;
  p.x = p.out = in_place.data(), p.sum = nullptr, p.mean = p.scale = nullptr;
  b.grad_out = nullptr;
  run(b);
  EXPECT_EQ(wide(in_place), r.out);
  return r;
}

template <class T>
NormResult emulated_norm(int64_t rows, int64_t columns, double dropout) {
  return norm<T>(rows, columns, dropout, [](const ResidualNormBackward& b) {
    const Rows& shape = b.forward.shape;
    ASSERT_TRUE(residual_norm_fits(shape));
    Floats parts(static_cast<size_t>(row_parts(shape, 3)), NAN);
    const int error = by_type_and_columns(shape, [&](auto type, auto chunks) {
      if constexpr (!std::is_same_v<decltype(type), T>) return 1;
      residual_norm_pass<T, decltype(chunks)::value>(b.forward, Launch());
      return b.grad_out ? residual_norm_backward_pass<T, decltype(chunks)::value>(b, parts.data(), Launch()) : 0;
    });
    EXPECT_EQ(error, 0);
  });
}

template <class T>
void compare_norm() {
  for (const double dropout : {0.0, 0.25})
    for (const auto& [rows, columns] : kShapes) {
      emulator::order = emulator::Order::backwards;
      const NormResult other = emulated_norm<T>(rows, columns, dropout);
      emulator::order = emulator::Order::forwards;
      const NormResult ours = emulated_norm<T>(rows, columns, dropout);
      EXPECT_TRUE(ours == other) << "a race";
      // The CPU's kernels: fp16 rows as fp32 ones of the same values.
      using Cpu = std::conditional_t<std::is_same_v<T, __half>, float, T>;
      const NormResult expected = norm<Cpu>(rows, columns, dropout, [](const ResidualNormBackward& b) {
        residual_norm(b.forward);
        if (b.grad_out) residual_norm_backward(b);
      });
      const auto check = [&](const char* name, const Floats NormResult::*values) {
        EXPECT_LT(error(ours.*values, expected.*values), kUnit<T>)
            << name << ' ' << rows << " x " << columns << " dropout " << dropout;
      };
      check("out", &NormResult::out), check("sum", &NormResult::sum), check("mean", &NormResult::mean),
          check("scale", &NormResult::scale);
      check("grad_residual", &NormResult::grad_residual), check("grad_bias", &NormResult::grad_bias),
          check("grad_weight", &NormResult::grad_weight);
      check("grad_shift", &NormResult::grad_shift), check("grad_x", &NormResult::grad_x);
      for (size_t i = 0; i < ours.grad_x.size() && dropout > 0; ++i)
        if (ours.grad_residual[i] != 0 && expected.grad_residual[i] != 0) {
          ASSERT_EQ(ours.grad_x[i] == 0, expected.grad_x[i] == 0) << "another mask at " << i;
        }
    }
}
TEST(CudaRows, residual_norm) {
  compare_norm<float>();
  compare_norm<__nv_bfloat16>();
  compare_norm<__half>();
}

template <class T>
void compare_gelu() {
  using Cpu = std::conditional_t<std::is_same_v<T, __half>, float, T>;
  for (const auto& [rows, columns] : kShapes) {
    const Floats x = random_floats(rows * columns, 1), grad = random_floats(rows * columns, 2),
                 bias = random_floats(columns, 3);
    Floats expected_bias(bias.size());
    const auto cpu_x = as<Cpu>(wide(as<T>(x))), cpu_grad = as<Cpu>(wide(as<T>(grad)));
    std::vector<Cpu> expected_out(x.size()), expected_x(x.size());
    const Rows cpu{kPrecision<Cpu>, rows, columns}, shape{kPrecision<T>, rows, columns};
    bias_gelu(cpu, cpu_x.data(), bias.data(), expected_out.data());
    bias_gelu_backward(cpu, cpu_x.data(), bias.data(), cpu_grad.data(), expected_x.data(), expected_bias.data());
    ASSERT_TRUE(bias_gelu_fits(shape));
    std::vector<T> out = as<T>(x);
    const auto in = out, out_grad = as<T>(grad);
    bias_gelu_pass<T>(shape, out.data(), bias.data(), out.data(), Launch());
    EXPECT_LT(error(wide(out), wide(expected_out)), kUnit<T>) << rows << " x " << columns;
    Floats results[2], sums[2];
    for (const bool backwards : {true, false}) {
      emulator::order = backwards ? emulator::Order::backwards : emulator::Order::forwards;
      std::vector<T> grad_x(x.size());
      Floats grad_bias(bias.size(), NAN), parts(static_cast<size_t>(row_parts(shape, 1)), NAN);
      bias_gelu_backward_pass<T>(shape, in.data(), bias.data(), out_grad.data(), grad_x.data(), grad_bias.data(),
                                 parts.data(), Launch());
      results[backwards] = wide(grad_x), sums[backwards] = grad_bias;
    }
    EXPECT_EQ(results[0], results[1]) << "a race";
    EXPECT_EQ(sums[0], sums[1]) << "a race";
    EXPECT_LT(error(results[0], wide(expected_x)), kUnit<T>) << rows << " x " << columns;
    EXPECT_LT(error(sums[0], expected_bias), kUnit<T>) << rows << " x " << columns;
  }
}
TEST(CudaRows, bias_gelu) {
  compare_gelu<float>();
  compare_gelu<__nv_bfloat16>();
  compare_gelu<__half>();
}

TEST(CudaRows, what_fits) {
  EXPECT_TRUE(residual_norm_fits({Precision::bf16, 5, 1024}));
  EXPECT_FALSE(residual_norm_fits({Precision::bf16, 5, 1032}));
  EXPECT_TRUE(bias_gelu_fits({Precision::bf16, 5, 4096}));
  EXPECT_FALSE(bias_gelu_fits({Precision::bf16, 5, 4100}));
  EXPECT_FALSE(bias_gelu_fits({Precision::bf16, 0, 8}));
}

}  // namespace
}  // namespace bigdna::kernels
