// The tensor-core kernels' own code, run on the CPU by cuda_emulator.h, against double on the rounded inputs: layouts
// of fragments, masks, lengths, cuts, every head and block size, every pattern, both directions, dropout. Each problem
// runs with the threads of a block in both orders, copies arriving early and products late and the other way round: the
// bits must not change. Blocks of whole 64 are multiplied both ways, by mma.sync and by wgmma.
#include <gtest/gtest.h>

#include <map>

#include "kernels/cuda_emulator.h"
//
#include "kernels/cuda/tensor.cuh"
#include "kernels/cuda_work.h"
#include "kernels/twin.h"
#include "sparsity/pattern.h"

namespace bigdna::kernels {
namespace {

using emulator::Launch;

Work view(const WorkLists& lists) {
  return {lists.items.data(),
          lists.cuts.data(),
          static_cast<int64_t>(lists.items.size()),
          static_cast<int64_t>(lists.cuts.size()),
          lists.slots,
          lists.rows};
}

template <class T>
std::vector<T> rounded(std::vector<float>& from) {
  std::vector<T> to;
  for (float& x : from) x = to.emplace_back(x);
  return to;
}
template <class T>
std::vector<float> widened(const std::vector<T>& from) {
  return {from.begin(), from.end()};
}

struct Outputs {
  std::vector<float> out, log_sum_exp, grad_q, grad_k, grad_v;
  bool operator==(const Outputs&) const = default;
};

/// Both passes on the emulator.
template <class T, int D, Unit kUnit = Unit::warp>
Outputs run(const Data& data, const std::vector<T>& q, const std::vector<T>& k, const std::vector<T>& v,
            const std::vector<T>& grad_out) {
  std::vector<float> floats, log_sum_exp;
  AttentionBackward b;
  AttentionForward& p = b.forward;
  p = data.forward(floats, log_sum_exp);
  p.precision = std::is_same_v<T, __half> ? Precision::fp16 : Precision::bf16;
  std::vector<T> out(q.size() + 8, T(7.0f)), grad_q = out, grad_k = out, grad_v = out;
  p.q = data.strided<const void>(q.data()), p.k = data.strided<const void>(k.data()),
  p.v = data.strided<const void>(v.data());
  p.out = data.strided<void>(out.data());
  b.grad_out = data.strided<const void>(grad_out.data());
  b.grad_q = data.strided<void>(grad_q.data()), b.grad_k = data.strided<void>(grad_k.data()),
  b.grad_v = data.strided<void>(grad_v.data());
  EXPECT_TRUE(tensor_cores_serve(b));
  const WorkLists row_lists = plan_rows(p), column_lists = plan_columns(p);
  const Work rows = view(row_lists), columns = view(column_lists);
  std::vector<float> dots(p.batch * p.heads * p.n, NAN), parts(forward_parts(rows, D) + 1, NAN);
  EXPECT_EQ((tensor_forward_pass<T, D, kUnit>(p, rows, parts.data(), Launch())), 0);
  parts.assign(backward_parts(rows, columns, D) + 1, NAN);
  EXPECT_EQ((tensor_backward_pass<T, D, kUnit>(b, rows, columns, dots.data(), parts.data(), Launch())), 0);
  for (auto* tensor : {&out, &grad_q, &grad_k, &grad_v}) {
    EXPECT_EQ(static_cast<float>(tensor->back()), 7) << "written past its end";
    tensor->resize(q.size());
  }
  return {widened(out), log_sum_exp, widened(grad_q), widened(grad_k), widened(grad_v)};
}

template <class T, int D, Unit kUnit>
void compare(Data& data) {
  const auto q = rounded<T>(data.q), k = rounded<T>(data.k), v = rounded<T>(data.v),
             grad_out = rounded<T>(data.grad_out);
  Outputs ours;
  emulator::bank_conflicts = 0;
  for (const auto order : {emulator::Order::forwards, emulator::Order::backwards}) {
    emulator::order = order;
    emulator::copies = order == emulator::Order::forwards ? emulator::Arrive::at_once : emulator::Arrive::at_the_wait;
    emulator::products = order == emulator::Order::forwards ? emulator::Arrive::at_the_wait : emulator::Arrive::at_once;
    const Outputs now = run<T, D, kUnit>(data, q, k, v, grad_out);
    EXPECT_TRUE(order == emulator::Order::forwards || now == ours) << "a race: " << data.problem;
    ours = now;
  }
  EXPECT_EQ(emulator::bank_conflicts, 0) << data.problem;
  std::vector<float> floats, rubbish;
  const Result expected = twin(data, data.forward(floats, rubbish).dropout_seed);
  const double unit = std::is_same_v<T, __half> ? 1.0 / 2048 : 1.0 / 256;  // of rounding to T
  EXPECT_LT(error(ours.log_sum_exp, expected.log_sum_exp), 2e-6) << data.problem;
  EXPECT_LT(error(ours.out, expected.out), 1.5 * unit) << data.problem;
  EXPECT_LT(error(ours.grad_q, expected.grad_q), 3 * unit) << data.problem;
  EXPECT_LT(error(ours.grad_k, expected.grad_k), 3 * unit) << data.problem;
  EXPECT_LT(error(ours.grad_v, expected.grad_v), 3 * unit) << data.problem;
}
template <class T, int D>
void compare(Data& data) {
  compare<T, D, Unit::warp>(data);
  if (data.problem.block % 64 == 0) compare<T, D, Unit::warpgroup>(data);
}
template <class T = __half>
void compare(const Problem& problem) {
  Data data(problem);
  if (problem.head_size == 32) compare<T, 32>(data);
  if (problem.head_size == 64) compare<T, 64>(data);
  if (problem.head_size == 128) compare<T, 128>(data);
}

TEST(TensorKernels, head_sizes) {
  for (const int64_t head_size : {32, 64, 128}) {
    compare<__half>({.heads = 1, .block = 64, .head_size = head_size, .n = 192, .lengths = {169}});
    compare<__nv_bfloat16>({.heads = 1, .block = 32, .head_size = head_size, .n = 96, .lengths = {90}, .dropout = 0.1});
  }
}
TEST(TensorKernels, block_sizes) {
  for (const int64_t block : {16, 32, 48, 64, 80, 96, 112, 128})
    compare({.heads = 1, .block = block, .head_size = 32, .n = 3 * block, .lengths = {3 * block - 5}, .random = 0});
}
TEST(TensorKernels, lengths) {
  for (const bool interleaved : {false, true})
    compare({.batch = 7,
             .heads = 2,
             .block = 16,
             .head_size = 32,
             .n = 80,
             .lengths = {80, 1, 0, 16, 17, 64, 65},
             .interleaved = interleaved});
}
TEST(TensorKernels, rows_that_end_inside_a_block) {
  compare({.heads = 1, .block = 64, .head_size = 64, .n = 150, .lengths = {149}});
}
TEST(TensorKernels, dropout) {
  for (const int64_t head_size : {32, 64, 128})
    compare({.heads = 2,
             .block = 64,
             .head_size = head_size,
             .n = 128,
             .lengths = {123},
             .dropout = 0.3,
             .interleaved = true});
  compare({.heads = 2, .block = 48, .head_size = 32, .n = 144, .lengths = {100}, .dropout = 0.1});
}
TEST(TensorKernels, long_lists_are_cut) {
  compare({.batch = 2,
           .heads = 1,
           .block = 16,
           .head_size = 32,
           .n = 16 * 35,
           .lengths = {16 * 34 + 3, 16 * 17},
           .dropout = 0.1});
  compare({.heads = 1, .block = 16, .head_size = 64, .n = 16 * 20, .lengths = {16 * 20 - 1}, .full = true});
  compare({.heads = 1, .block = 64, .head_size = 32, .n = 64 * 18, .lengths = {64 * 18 - 3}, .dropout = 0.1});
}
TEST(TensorKernels, patterns) {
  for (const auto& row : sparsity::patterns()) {
    Data data({.batch = 1, .heads = 2, .block = 16, .head_size = 32, .n = 16 * 14, .lengths = {16 * 13 + 7}});
    sparsity::PatternConfig config;
    config.name = row.name;
    config.block = 16;
    for (const auto random_blocks : {sparsity::RandomBlocks::uniform, sparsity::RandomBlocks::huggingface}) {
      config.random_blocks = random_blocks;
      if (random_blocks == sparsity::RandomBlocks::huggingface && !row.released) continue;
      for (int64_t head = 0; head < 2; ++head) {
        const auto layout = sparsity::make_layout(config, {0, head, 2, 14});
        data.layouts[head] = {layout.row_starts, layout.columns, layout.column_starts, layout.rows};
        data.views[head] = data.layouts[head].view();
      }
      SCOPED_TRACE(row.name);
      compare<__half, 32>(data);
    }
  }
}
TEST(TensorKernels, large_scores) {
  Data data({.heads = 1, .block = 16, .head_size = 32, .n = 64, .lengths = {61}});
  for (float& x : data.q) x *= 40;
  const auto q = rounded<__half>(data.q), k = rounded<__half>(data.k), v = rounded<__half>(data.v),
             g = rounded<__half>(data.grad_out);
  const Outputs ours = run<__half, 32>(data, q, k, v, g);
  for (const auto* tensor : {&ours.out, &ours.log_sum_exp, &ours.grad_q, &ours.grad_k, &ours.grad_v})
    for (const float x : *tensor) ASSERT_TRUE(std::isfinite(x));
  EXPECT_GT(*std::max_element(ours.log_sum_exp.begin(), ours.log_sum_exp.end()), 50);
}

TEST(TensorKernels, scores_far_below_0) {  // those of hidden keys, 0, would be the largest
  for (const int64_t length : {61, 33}) {
    Data data({.heads = 1, .block = 16, .head_size = 32, .n = 64, .lengths = {length}});
    for (float& x : data.q) x = 8 + x / 4;
    for (float& x : data.k) x = -8 + x / 4;
    const auto q = rounded<__half>(data.q), k = rounded<__half>(data.k), v = rounded<__half>(data.v),
               g = rounded<__half>(data.grad_out);
    const Outputs ours = run<__half, 32>(data, q, k, v, g);
    std::vector<float> floats, rubbish;
    const Result expected = twin(data, data.forward(floats, rubbish).dropout_seed);
    EXPECT_LT(ours.log_sum_exp[0], -200);
    EXPECT_LT(error(ours.log_sum_exp, expected.log_sum_exp), 1e-5);
    EXPECT_LT(error(ours.out, expected.out), 2e-3);
    EXPECT_LT(error(ours.grad_q, expected.grad_q), 1e-2);  // sums of terms that nearly cancel
    EXPECT_LT(error(ours.grad_k, expected.grad_k), 1e-2);
    EXPECT_LT(error(ours.grad_v, expected.grad_v), 2e-3);
  }
}

TEST(TensorKernels, emulator_finds_a_wgmma_of_copies_that_are_not_fenced) {
  const std::vector<uint16_t> rows(64 * 32);
  const auto product = [&](bool fence, bool begin) {
    copy16(threadIdx.x * 16, rows.data() + threadIdx.x * 8, true);
    copy16((threadIdx.x + 128) * 16, rows.data() + (threadIdx.x + 128) * 8, true);
    wait_for_copies();
    if (fence) fence_copies();
    __syncthreads();
    float c[8][4];
    uint32_t a[1][4] = {};
    if (begin) wgmma_begin(c, a);
    wgmma<__half, 64, 0>(c, a[0], Tile<32, Unit::warpgroup>::columns(0, 0), 0);
    wgmma_end(c);
  };
  emulator::shared_size = 64 * 64;
  EXPECT_NO_THROW(emulator::run_block(128, [&] { product(true, true); }));
  EXPECT_THROW(emulator::run_block(128, [&] { product(false, true); }), std::logic_error);
  EXPECT_THROW(emulator::run_block(128, [&] { product(true, false); }), std::logic_error);
  EXPECT_THROW(emulator::run_block(64, [&] { product(true, true); }), std::logic_error);  // not four warps
}

/// Every pair of row tile and list entry exactly once, whatever the cuts.
void check_work(const Problem& problem) {
  const Data data(problem);
  std::vector<float> out, log_sum_exp;
  const AttentionForward p = data.forward(out, log_sum_exp);
  for (const bool columns : {false, true}) {
    const WorkLists work = columns ? plan_columns(p) : plan_rows(p);
    std::map<std::pair<int32_t, int32_t>, std::vector<WorkItem>> tiles;
    for (const WorkItem& item : work.items) tiles[{item.head, item.tile}].push_back(item);
    EXPECT_EQ(static_cast<int64_t>(tiles.size()), p.batch * p.heads * ((p.n + work.rows - 1) / work.rows));
    int64_t cut = 0, slots = 0;
    for (auto& [place, items] : tiles) {
      const auto [head, tile] = place;
      const Layout& layout = data.layouts[head];
      const auto& starts = columns ? layout.column_starts : layout.row_starts;
      const bool real = tile * work.rows < data.lengths[head / p.heads];
      std::sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
      const int64_t block = tile * work.rows / p.block;
      EXPECT_EQ(items.front().begin, real ? starts[block] : 0);
      EXPECT_EQ(items.back().end, real ? starts[block + 1] : 0);
      for (size_t i = 1; i < items.size(); ++i) EXPECT_EQ(items[i].begin, items[i - 1].end);
      if (items.size() > 1) {
        const auto found = std::find_if(work.cuts.begin(), work.cuts.end(),
                                        [&](const CutRows& c) { return c.head == head && c.tile == tile; });
        ASSERT_NE(found, work.cuts.end());
        EXPECT_EQ(found->parts, static_cast<int32_t>(items.size()));
        for (size_t i = 0; i < items.size(); ++i) EXPECT_EQ(items[i].slot, found->slot + static_cast<int32_t>(i));
        ++cut, slots += found->parts;
      } else {
        EXPECT_EQ(items[0].slot, -1);
      }
    }
    EXPECT_EQ(cut, static_cast<int64_t>(work.cuts.size()));
    EXPECT_EQ(slots, work.slots);
    EXPECT_GT(cut, 0);
  }
}
TEST(CudaWork, covers_every_pair_once) {
  check_work({.batch = 2, .heads = 3, .block = 64, .n = 64 * 40, .lengths = {64 * 40, 64 * 20 - 7}, .random = 3});
  check_work({.batch = 1, .heads = 2, .block = 128, .n = 128 * 19 + 1, .lengths = {128 * 19 + 1}});
  check_work({.batch = 3, .heads = 1, .block = 16, .n = 16 * 17, .full = true});
}
TEST(CudaWork, tensor_cores_serve_what_they_can) {
  const Data data({.block = 32, .head_size = 64});
  std::vector<float> out, log_sum_exp;
  AttentionForward p = data.forward(out, log_sum_exp);
  EXPECT_FALSE(tensor_cores_serve(p));  // fp32
  p.precision = Precision::bf16;
  alignas(16) static char memory[16];
  for (auto* x : {&p.q, &p.k, &p.v}) x->data = memory;
  p.out.data = memory;
  EXPECT_TRUE(tensor_cores_serve(p));
  AttentionForward other = p;
  other.head_size = 80;
  EXPECT_FALSE(tensor_cores_serve(other));
  other = p, other.block = 24;
  EXPECT_FALSE(tensor_cores_serve(other));
  other = p, other.k.data = memory + 2;
  EXPECT_FALSE(tensor_cores_serve(other));
  other = p, other.v.row_stride = 65;
  EXPECT_FALSE(tensor_cores_serve(other));
}

}  // namespace
}  // namespace bigdna::kernels
