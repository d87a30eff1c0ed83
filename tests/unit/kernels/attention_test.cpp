// The fused kernels against double (twin.h), on every instruction set this processor has.
#include "kernels/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <sstream>

#include "base/error.h"
#include "kernels/twin.h"
//
#include "kernels/on_target.h"

namespace bigdna::kernels {
namespace {

struct Outputs {
  std::vector<float> out, log_sum_exp, grad_q, grad_k, grad_v;
  bool operator==(const Outputs&) const = default;
};

Outputs run(const Data& data, int threads = 1) {
  Outputs o;
  AttentionBackward b;
  b.forward = data.forward(o.out, o.log_sum_exp, threads);
  attention_forward_cpu(b.forward);
  for (auto* tensor : {&o.grad_q, &o.grad_k, &o.grad_v}) tensor->assign(data.q.size(), 7);
  b.grad_out = data.strided<const void>(data.grad_out.data());
  b.grad_q = data.strided<void>(o.grad_q.data());
  b.grad_k = data.strided<void>(o.grad_k.data());
  b.grad_v = data.strided<void>(o.grad_v.data());
  attention_backward_cpu(b);
  return o;
}

/// twin(data), computed once for all instruction sets.
const Result& twin_of(const Data& data, const char* type = "fp32") {
  static std::map<std::string, Result> results;
  const std::string key = (std::ostringstream() << data.problem << type).str();
  if (const auto found = results.find(key); found != results.end()) return found->second;
  std::vector<float> rubbish;
  return results[key] = twin(data, data.forward(rubbish, rubbish).dropout_seed);
}

void compare(const Problem& problem) {
  const Data data(problem);
  const Outputs ours = run(data);
  const Result& expected = twin_of(data);
  EXPECT_LT(error(ours.out, expected.out), 2e-6) << problem;
  EXPECT_LT(error(ours.log_sum_exp, expected.log_sum_exp), 1e-6) << problem;
  EXPECT_LT(error(ours.grad_q, expected.grad_q), 4e-6) << problem;
  EXPECT_LT(error(ours.grad_k, expected.grad_k), 4e-6) << problem;
  EXPECT_LT(error(ours.grad_v, expected.grad_v), 4e-6) << problem;
}

class AttentionKernels : public OnTarget {
 protected:
  void SetUp() override {
    OnTarget::SetUp();
    if (IsSkipped()) return;
    ASSERT_STREQ(cpu_target(), hwy::TargetName(GetParam()));
  }
};

TEST_P(AttentionKernels, blocks_and_head_sizes) {
  for (const int64_t block : {8, 16, 24, 32, 64, 128})
    for (const int64_t head_size : {16, 24, 32, 64, 80, 128})
      compare({.heads = 1, .block = block, .head_size = head_size, .n = 4 * block, .lengths = {4 * block - 3}});
}
TEST_P(AttentionKernels, shapes_that_fit_nothing) {
  for (const int64_t block : {1, 7, 13, 20, 65})
    for (const int64_t head_size : {1, 5, 17, 63})
      compare({.block = block,
               .head_size = head_size,
               .n = 4 * block,
               .lengths = {4 * block - block / 3},
               .dropout = 0.25});
}
TEST_P(AttentionKernels, lengths) {
  for (const bool interleaved : {false, true})
    compare({.batch = 7,
             .heads = 3,
             .block = 16,
             .head_size = 32,
             .n = 160,
             .lengths = {160, 1, 0, 16, 17, 144, 145},
             .interleaved = interleaved});
}
TEST_P(AttentionKernels, dropout) {
  for (const double dropout : {0.1, 0.5})
    for (const int64_t block : {16, 64})
      compare({.batch = 2,
               .block = block,
               .head_size = 64,
               .n = 5 * block,
               .lengths = {5 * block, 4 * block + 3},
               .dropout = dropout,
               .interleaved = true});
}
TEST_P(AttentionKernels, one_block_and_full) {
  compare({.block = 64, .head_size = 64, .n = 64});
  compare({.block = 64, .head_size = 64, .n = 64, .lengths = {1}});
  compare({.block = 16, .head_size = 64, .n = 320, .lengths = {311}, .full = true, .dropout = 0.1});
}
TEST_P(AttentionKernels, long_rows_are_cut_and_merged) {  // the global rows: 4096 keys, twice the piece plan.cpp cuts
  compare({.heads = 1, .block = 64, .head_size = 16, .n = 4200, .lengths = {4170}, .random = 1, .dropout = 0.1});
}
TEST_P(AttentionKernels, causal) {
  for (const int64_t block : {1, 7, 16, 24, 64, 128})
    for (const int64_t head_size : {5, 32, 64})
      compare({.block = block,
               .head_size = head_size,
               .n = 6 * block,
               .lengths = {6 * block - block / 3},
               .dropout = block == 16 ? 0.25 : 0,
               .causal = true});
  compare(
      {.batch = 3, .block = 16, .n = 160, .lengths = {160, 1, 17}, .full = true, .interleaved = true, .causal = true});
  compare({.heads = 1, .block = 64, .head_size = 16, .n = 4200, .lengths = {4170}, .full = true, .causal = true});
  for (const int64_t block : {7, 16, 64})
    compare({.batch = 3,
             .block = block,
             .n = 8 * block,
             .lengths = {8 * block, 1, 5 * block + 3},
             .dropout = block == 16 ? 0.25 : 0,
             .causal = true,
             .prefix = 3});
}
/// The gradients of one output by later keys and values are exactly 0: a masked score has no weight at all.
TEST_P(AttentionKernels, causal_gradients_of_later_tokens_are_exactly_zero) {
  const int64_t n = 40, size = 8;
  Data data({.heads = 1, .block = 4, .head_size = size, .n = n, .lengths = {38}, .full = true, .causal = true});
  const std::vector<float> grad_out = data.grad_out;
  for (int64_t token = 0; token < 38; ++token) {
    data.grad_out.assign(grad_out.size(), 0);
    std::copy_n(grad_out.begin() + token * size, size, data.grad_out.begin() + token * size);
    const Outputs o = run(data);
    const auto zero = [](float x) { return x == 0; };
    const auto later = [&](const std::vector<float>& x) { return x.begin() + (token + 1) * size; };
    EXPECT_FALSE(std::all_of(o.grad_v.begin(), later(o.grad_v), zero)) << token;
    EXPECT_TRUE(std::all_of(later(o.grad_v), o.grad_v.end(), zero)) << token;
    EXPECT_TRUE(std::all_of(later(o.grad_k), o.grad_k.end(), zero)) << token;
  }
}
uint16_t to_bf16(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  return std::isnan(x) ? 0x7FC0 : static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}
float to_float(uint16_t x) {
  const uint32_t bits = uint32_t{x} << 16;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}
std::vector<float> widened(const std::vector<uint16_t>& from) {
  std::vector<float> to;
  for (const uint16_t x : from) to.push_back(to_float(x));
  return to;
}

/// The same in bf16: inputs are rounded in `data`, outputs widened.
Outputs run_bf16(Data& data, int threads = 1) {
  std::vector<uint16_t> q, k, v, grad_out;
  for (auto [from, to] : {std::pair{&data.q, &q}, {&data.k, &k}, {&data.v, &v}, {&data.grad_out, &grad_out}})
    for (float& x : *from) {
      to->push_back(to_bf16(x));
      x = to_float(to->back());
    }
  Outputs o;
  std::vector<uint16_t> out(q.size(), 7), grad_q = out, grad_k = out, grad_v = out;
  AttentionBackward b;
  b.forward = data.forward(o.out, o.log_sum_exp, threads);
  b.forward.precision = Precision::bf16;
  b.forward.q = data.strided<const void>(q.data());
  b.forward.k = data.strided<const void>(k.data());
  b.forward.v = data.strided<const void>(v.data());
  b.forward.out = data.strided<void>(out.data());
  b.grad_out = data.strided<const void>(grad_out.data());
  b.grad_q = data.strided<void>(grad_q.data());
  b.grad_k = data.strided<void>(grad_k.data());
  b.grad_v = data.strided<void>(grad_v.data());
  attention_forward_cpu(b.forward);
  attention_backward_cpu(b);
  return {widened(out), o.log_sum_exp, widened(grad_q), widened(grad_k), widened(grad_v)};
}

void compare_bf16(const Problem& problem) {
  Data data(problem);
  const Outputs ours = run_bf16(data);
  const Result& expected = twin_of(data, "bf16");
  EXPECT_LT(error(ours.out, expected.out), 6e-3) << problem;
  EXPECT_LT(error(ours.log_sum_exp, expected.log_sum_exp), 1e-5) << problem;
  EXPECT_LT(error(ours.grad_q, expected.grad_q), 2e-2) << problem;  // of the rounded output
  EXPECT_LT(error(ours.grad_k, expected.grad_k), 2e-2) << problem;
  EXPECT_LT(error(ours.grad_v, expected.grad_v), 2e-2) << problem;
}

TEST_P(AttentionKernels, bf16) {
  for (const int64_t block : {1, 7, 16, 24, 64})
    for (const int64_t head_size : {5, 32, 64, 80})
      compare_bf16(
          {.heads = 1, .block = block, .head_size = head_size, .n = 4 * block, .lengths = {4 * block - block / 3}});
  for (const bool interleaved : {false, true})
    compare_bf16({.batch = 7,
                  .heads = 3,
                  .block = 16,
                  .head_size = 32,
                  .n = 160,
                  .lengths = {160, 1, 0, 16, 17, 144, 145},
                  .dropout = 0.25,
                  .interleaved = interleaved});
  compare_bf16({.batch = 2, .block = 64, .head_size = 64, .n = 320, .lengths = {320, 259}, .dropout = 0.1});
  compare_bf16({.heads = 1, .block = 64, .head_size = 16, .n = 4200, .lengths = {4170}, .random = 1});
  for (const int64_t block : {1, 7, 32, 64})
    compare_bf16({.block = block, .head_size = 32, .n = 6 * block, .lengths = {6 * block - block / 3}, .causal = true});
}

INSTANTIATE_TEST_SUITE_P(Attention, AttentionKernels, testing::ValuesIn(targets()), target_name);

}  // namespace
}  // namespace bigdna::kernels
