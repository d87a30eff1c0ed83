// The CUDA plug-in and its attention kernels on a real GPU, through LibTorch tensors; skipped, saying why, without one.
#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "kernels/cuda_plugin.h"
#include "model/attention/backend.h"
#include "model/attention/fused.h"

namespace bigdna::model {
namespace {

struct Case {
  int64_t heads, head_size, block, n;
  std::vector<int64_t> lengths;
  double dropout = 0;
  const char* pattern = "bigbird";
};

std::vector<at::Tensor> run(AttentionFunction attention, const std::vector<at::Tensor>& inputs, const AttentionPlan& plan,
                            const AttentionOptions& options, const at::Tensor& weights) {
  std::vector<at::Tensor> leaves;
  for (const at::Tensor& x : inputs) leaves.push_back(x.detach().requires_grad_());
  const at::Tensor out = attention(leaves[0], leaves[1], leaves[2], plan, options);
  (out * weights).sum().backward();
  std::vector<at::Tensor> results{out.detach().cpu()};
  for (const at::Tensor& leaf : leaves) results.push_back(leaf.grad().cpu());
  return results;
}

double difference(const at::Tensor& a, const at::Tensor& b) {
  return ((a.to(at::kDouble) - b.to(at::kDouble)).abs().max() / b.to(at::kDouble).abs().max()).item<double>();
}

void compare(const Case& c) {
  sparsity::PatternConfig pattern;
  pattern.name = c.pattern;
  pattern.block = c.block;
  const auto batch = static_cast<int64_t>(c.lengths.size());
  const AttentionPlan plan = plan_attention(pattern, 0, c.heads, c.lengths, c.n);
  const AttentionOptions options{c.dropout, 5, 2};
  for (const auto type : {at::kFloat, at::kBFloat16}) {
    std::vector<at::Tensor> cpu, gpu;
    for (int i = 0; i < 4; ++i) {
      cpu.push_back(at::randn({batch, c.n, c.heads, c.head_size}).permute({0, 2, 1, 3}).to(type));
      gpu.push_back(cpu.back().to(at::kCUDA));
    }
    const at::Tensor weights = cpu.back(), gpu_weights = gpu.back();
    cpu.pop_back();
    gpu.pop_back();
    std::vector<at::Tensor> wide;
    for (const at::Tensor& x : cpu) wide.push_back(x.to(at::kDouble));
    const auto expected = run(backend("dense").run, wide, plan, options, weights.to(at::kDouble));
    const auto ours = run(fused_attention, gpu, plan, options, gpu_weights);
    const auto again = run(fused_attention, gpu, plan, options, gpu_weights);
    for (size_t i = 0; i < ours.size(); ++i) {
      EXPECT_LT(difference(ours[i], expected[i]), type == at::kFloat ? 1e-5 : 1e-2)
          << c.pattern << ' ' << c.heads << " heads of " << c.head_size << ", block " << c.block << ", n " << c.n << ", result " << i;
      EXPECT_TRUE(at::equal(ours[i], again[i])) << "not the same twice";
    }
  }
}

TEST(Gpu, plug_in_brings_libtorchs_cuda) {
  EXPECT_TRUE(at::detail::getCUDAHooks().hasCUDART());
  EXPECT_TRUE(at::globalContext().hasCUDA());
}
TEST(Gpu, sizes) {
  for (const int64_t block : {16, 32, 64, 128})
    for (const int64_t head_size : {16, 32, 64, 128}) compare({2, head_size, block, 12 * block, {12 * block, 11 * block - 5}});
}
TEST(Gpu, lengths) { compare({3, 64, 16, 512, {512, 1, 16, 17, 511}}); }
TEST(Gpu, dropout) { compare({2, 64, 64, 1024, {1024, 1000}, 0.1}); }
TEST(Gpu, patterns) {
  for (const auto& row : sparsity::patterns()) compare({2, 64, 16, 384, {384, 300}, 0, row.name.data()});
}

}  // namespace
}  // namespace bigdna::model

int main(int count, char** arguments) {
  const auto& cuda = bigdna::kernels::cuda_plugin();  // before LibTorch: it looks for its CUDA half once
  if (!cuda.table) return std::printf("SKIPPED: %s\n", cuda.reason.c_str()), 77;
  testing::InitGoogleTest(&count, arguments);
  return RUN_ALL_TESTS();
}
