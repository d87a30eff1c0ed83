// The GPU kernels' own code, run on the CPU by cuda_emulator.h, against double: what can be checked without a
// GPU. tests/gpu checks the same on one.
#include <gtest/gtest.h>

#include "kernels/cuda_emulator.h"
//
#include "kernels/twin.h"

#include "kernels/cuda/simple.cuh"

namespace bigdna::kernels {
namespace {

void compare(const Problem& problem) {
  const Data data(problem);
  std::vector<float> out, log_sum_exp, dots(problem.batch * problem.heads * problem.n);
  AttentionBackward b;
  b.forward = data.forward(out, log_sum_exp);
  std::vector<float> grad_q(out.size(), 7), grad_k = grad_q, grad_v = grad_q;
  b.grad_out = data.strided<const void>(data.grad_out.data());
  b.grad_q = data.strided<void>(grad_q.data());
  b.grad_k = data.strided<void>(grad_k.data());
  b.grad_v = data.strided<void>(grad_v.data());
  const AttentionForward& p = b.forward;
  const int64_t pieces = (p.n + p.block - 1) / p.block * ((p.block + kRows - 1) / kRows);
  const auto launch = [&](int64_t of_a_head, auto kernel, auto... arguments) {
    emulator::Launch()(kernel, p.batch * p.heads * of_a_head, kWarps * 32, sizeof emulator::shared_memory,
                       arguments...);
  };
  launch(pieces, forward_kernel<float>, p);
  launch((p.n + kWarps - 1) / kWarps, dots_kernel<float>, b, dots.data());
  launch(pieces, keys_kernel<float>, b, dots.data());
  launch(pieces, queries_kernel<float>, b, dots.data());
  const Result expected = twin(data, p.dropout_seed);
  EXPECT_LT(error(out, expected.out), 2e-6) << problem;
  EXPECT_LT(error(log_sum_exp, expected.log_sum_exp), 1e-6) << problem;
  EXPECT_LT(error(grad_q, expected.grad_q), 4e-6) << problem;
  EXPECT_LT(error(grad_k, expected.grad_k), 4e-6) << problem;
  EXPECT_LT(error(grad_v, expected.grad_v), 4e-6) << problem;
}

TEST(CudaKernels, equal_the_twin) {
  compare({.heads = 1, .block = 16, .head_size = 64, .n = 48, .lengths = {41}});
  compare({.batch = 3,
           .heads = 1,
           .block = 32,
           .head_size = 16,
           .n = 64,
           .lengths = {64, 0, 33},
           .dropout = 0.1,
           .interleaved = true});
  compare({.heads = 1, .block = 40, .head_size = 96, .n = 80, .lengths = {71}, .dropout = 0.25});
}

TEST(CudaKernels, emulator_finds_a_barrier_that_only_some_reach) {
  EXPECT_THROW(emulator::run_block(64,
                                   [] {
                                     if (threadIdx.x < 32) __syncthreads();
                                   }),
               std::logic_error);
}

}  // namespace
}  // namespace bigdna::kernels
