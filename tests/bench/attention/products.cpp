// The forward pass's small matrix products alone, one thread: the kernels' own (lib/kernels/cpu/micro-inl.h) against
// LibTorch's cpublas::brgemm (oneDNN's, with AMX where there is AMX). bench_products: a TSV row per type and block
// size, GFLOP/s. Both read and write the same packed buffers in the order in which forward.cpp does: scores of four
// blocks of 64 keys (eight of 32), then their weighted values, over packed keys and values of 1 MB that lie in the
// second-level cache.
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "products.cpp"
#include "hwy/foreach_target.h"
//
#include "kernels/cpu/micro-inl.h"

HWY_BEFORE_NAMESPACE();
#if HWY_TARGET == HWY_AVX3
#pragma GCC target("avx512bf16")
#endif
namespace bigdna::kernels::HWY_NAMESPACE {

void product_of(Precision precision, const Panel& panel, int64_t columns, float* c, int64_t ldc, int64_t rows,
                bool add) {
  with_element(precision,
               [&](auto element) HWY_ATTR { product<decltype(element)>(&panel, 1, columns, c, ldc, rows, add); });
}

}  // namespace bigdna::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <ATen/native/CPUBlas.h>

#include <chrono>
#include <cstdio>
#include <vector>

namespace bigdna::kernels {
HWY_EXPORT(product_of);
namespace {

constexpr int64_t kSize = 64, kChunk = 256;  // elements of a head; keys of a softmax step

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Buffers {
  Precision precision;
  int64_t block, words = precision == Precision::fp32 ? kSize : kSize / 2;  // of a row of 64 elements
  int64_t key_words = precision == Precision::fp32 ? block : block / 2;
  int64_t blocks = (1 << 18) / (words * block + key_words * kSize), stride = kChunk + kPad;
  std::vector<float> queries = std::vector<float>(block * words),
                     packed = std::vector<float>(blocks * (words * block + key_words * kSize)),
                     scores = std::vector<float>(block * stride), sums = std::vector<float>(block * kSize);

  /// multiply(A, its stride, B, its stride, words, columns, C, its stride, add), strides of A and B in words.
  template <class Multiply>
  void pass(const Multiply& multiply) {
    const int64_t together = kChunk / block;
    for (int64_t first = 0; first + together <= blocks; first += together) {
      for (int64_t i = 0; i < together; ++i)
        multiply(queries.data(), words, keys(first + i), block, words, block, scores.data() + i * block, stride, false);
      for (int64_t i = 0; i < together; ++i)
        multiply(scores.data() + i * key_words, stride, keys(first + i) + words * block, kSize, key_words, kSize,
                 sums.data(), kSize, true);
    }
  }
  const float* keys(int64_t which) const { return packed.data() + which * (words * block + key_words * kSize); }
  double gflop() const { return 4e-9 * static_cast<double>(blocks / (kChunk / block) * kChunk * block * kSize); }
};

/// GFLOP/s, the best of ten tenths of a second.
template <class Multiply>
double rate(Buffers& buffers, const Multiply& multiply) {
  double best = 0;
  for (int round = 0; round < 10; ++round) {
    int passes = 0;
    const double start = seconds();
    while (seconds() - start < 0.1) buffers.pass(multiply), ++passes;
    best = std::max(best, passes * buffers.gflop() / (seconds() - start));
  }
  return best;
}

template <class Data>
double brgemm(Buffers& buffers) {
  constexpr int64_t pair = std::is_same_v<Data, float> ? 1 : 2;
  const double found = rate(buffers, [&](const float* a, int64_t lda, const float* b, int64_t ldb, int64_t words,
                                         int64_t columns, float* c, int64_t ldc, bool add) {
    at::native::cpublas::brgemm(buffers.block, columns, words * pair, lda * pair, ldb, ldc, add,
                                reinterpret_cast<const Data*>(a), reinterpret_cast<const Data*>(b), c, pair == 2);
  });
  at::native::cpublas::brgemm_release(pair == 2);
  return found;
}

}  // namespace
}  // namespace bigdna::kernels

int main() {
  using namespace bigdna::kernels;
  std::printf("# kernels %s, bf16 by %s, one thread\n#type\tblock\tours\tbrgemm\n", cpu_target(), cpu_bf16_products());
  for (const Precision precision : {Precision::fp32, Precision::bf16})
    for (const int64_t block : {64, 32}) {
      Buffers buffers{precision, block};
      double ours;
      {
        const AmxScope scope;
        ours = rate(buffers, [&](const float* a, int64_t lda, const float* b, int64_t ldb, int64_t words,
                                 int64_t columns, float* c, int64_t ldc, bool add) {
          HWY_DYNAMIC_DISPATCH(product_of)(precision, {a, lda, b, ldb, words}, columns, c, ldc, block, add);
        });
      }
      std::printf("%s\t%ld\t%.0f\t", precision == Precision::fp32 ? "fp32" : "bf16", block, ours);
      try {
        std::printf("%.0f\n", precision == Precision::fp32 ? brgemm<float>(buffers) : brgemm<at::BFloat16>(buffers));
      } catch (const std::exception& error) {
        std::printf("-\n# %.100s\n", error.what());
      }
    }
}
#endif
