// The CUDA plug-in and its attention kernels on a real GPU, through LibTorch tensors, against the dense reference in
// double; skipped, saying why, without one. A table on stdout has the errors beside those of plain LibTorch operations
// (the gather backend) in the same type: ours must not be more than twice as large.
#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "kernels/cuda_plugin.h"
#include "model/attention/backend.h"
#include "model/attention/fused.h"
#include "model/runtime.h"

namespace bigdna::model {
namespace {

struct Case {
  int64_t heads, head_size, block, n;
  std::vector<int64_t> lengths;
  double dropout = 0;
  sparsity::PatternConfig pattern = {};
  bool contiguous = false;  // [batch, heads, n, head_size] in memory, else as a projection leaves it
};

using Tensors = std::vector<at::Tensor>;

/// out and the gradients of q, k and v, on the CPU.
Tensors run(AttentionFunction attention, const Tensors& inputs, const AttentionPlan& plan,
            const AttentionOptions& options, const at::Tensor& weights) {
  Tensors leaves;
  for (const at::Tensor& x : inputs) leaves.push_back(x.detach().requires_grad_());
  const at::Tensor out = attention(leaves[0], leaves[1], leaves[2], plan, options);
  (out * weights).sum().backward();
  Tensors results{out.detach().cpu()};
  for (const at::Tensor& leaf : leaves) results.push_back(leaf.grad().cpu());
  return results;
}

/// |a - b| / |b|, the norms of all elements.
double error(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b).norm().item<double>() / b.norm().item<double>();
}

void compare(const Case& c, at::ScalarType type) {
  sparsity::PatternConfig pattern = c.pattern;
  pattern.block = c.block;
  const auto batch = static_cast<int64_t>(c.lengths.size());
  const AttentionPlan plan = plan_attention(pattern, 0, c.heads, c.lengths, c.n);
  const AttentionOptions options{c.dropout, 5, 2};
  Tensors gpu, wide;
  for (int i = 0; i < 4; ++i) {
    const at::Tensor x = (c.contiguous ? at::randn({batch, c.heads, c.n, c.head_size})
                                       : at::randn({batch, c.n, c.heads, c.head_size}).permute({0, 2, 1, 3}))
                             .to(type);
    gpu.push_back(x.to(at::kCUDA));
    wide.push_back(x.to(at::kDouble));
  }
  const at::Tensor weights = gpu.back(), wide_weights = wide.back();
  gpu.pop_back();
  wide.pop_back();
  const Tensors expected = run(backend("dense").run, wide, plan, options, wide_weights);
  const Tensors plain = run(backend("gather").run, gpu, plan, options, weights);
  ASSERT_TRUE(fused_serves(gpu[0]));
  const Tensors ours = run(fused_attention, gpu, plan, options, weights),
                again = run(fused_attention, gpu, plan, options, weights);
  std::printf("%-14s %-8s heads %ldx%ld block %3ld n %5ld dropout %.1f ", pattern.name.c_str(), at::toString(type),
              c.heads, c.head_size, c.block, c.n, c.dropout);
  for (size_t i = 0; i < ours.size(); ++i) {
    const double mine = error(ours[i], expected[i]), theirs = error(plain[i], expected[i]);
    const char* name = std::array{"out", "grad_q", "grad_k", "grad_v"}[i];
    std::printf(" %s %.2e/%.2e", name, mine, theirs);
    EXPECT_LE(mine, 2 * theirs + (type == at::kFloat ? 2e-6 : 1e-5)) << pattern.name << ' ' << type << ' ' << name;
    EXPECT_TRUE(at::equal(ours[i], again[i])) << "not the same twice: " << name;
  }
  std::printf("\n");
  const at::NoGradGuard guard;
  EXPECT_TRUE(at::equal(fused_attention(gpu[0], gpu[1], gpu[2], plan, options).cpu(), ours[0]))
      << "other without gradients";
}
void compare(const Case& c) {
  for (const auto type : {at::kFloat, at::kBFloat16, at::kHalf}) compare(c, type);
}

TEST(Gpu, plug_in_brings_libtorchs_cuda) {
  EXPECT_TRUE(at::detail::getCUDAHooks().hasCUDART());
  EXPECT_TRUE(at::globalContext().hasCUDA());
}
TEST(Gpu, sizes) {
  for (const int64_t block : {16, 32, 48, 64, 96, 128})
    for (const int64_t head_size : {32, 64, 128})
      compare({2, head_size, block, 12 * block, {12 * block, 11 * block - 5}});
}
TEST(Gpu, sizes_of_the_simple_kernels) {
  for (const int64_t head_size : {16, 80}) compare({2, head_size, 16, 192, {192, 171}});
  compare({2, 64, 24, 24 * 12, {24 * 12, 24 * 11 - 5}});
}
TEST(Gpu, lengths) { compare({3, 64, 16, 512, {512, 1, 16, 17, 511}}); }
TEST(Gpu, contiguous_heads) { compare({2, 64, 64, 1024, {1024, 900}, 0, {}, true}); }
TEST(Gpu, dropout) {
  for (const int64_t head_size : {32, 64, 128}) compare({2, head_size, 64, 1024, {1024, 1000}, 0.1});
}
TEST(Gpu, patterns) {
  for (const auto& row : sparsity::patterns()) {
    sparsity::PatternConfig pattern;
    pattern.name = row.name;
    compare({2, 64, 16, 384, {384, 300}, 0, pattern});
  }
  for (const auto blocks : {sparsity::RandomBlocks::original, sparsity::RandomBlocks::huggingface}) {
    sparsity::PatternConfig pattern;
    pattern.random_blocks = blocks;
    compare({2, 64, 64, 1024, {1024, 777}, 0, pattern});
  }
}
TEST(Gpu, cut_lists) { compare({1, 64, 64, 64 * 50, {64 * 50 - 9}}, at::kBFloat16); }  // global rows of 50 blocks

}  // namespace
}  // namespace bigdna::model

int main(int count, char** arguments) {
  const auto& cuda = bigdna::kernels::cuda_plugin();  // before LibTorch: it looks for its CUDA half once
  if (!cuda.table) return std::printf("SKIPPED: %s\n", cuda.reason.c_str()), 77;
  bigdna::model::start_runtime();
  testing::InitGoogleTest(&count, arguments);
  setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0);  // or LibTorch warns of every product
  // What at::empty gives is NaN, so that elements nobody writes show.
  at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/true);
  return RUN_ALL_TESTS();
}
