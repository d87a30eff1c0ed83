#include "model/dropout.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/native_dropout.h>

#include <mutex>

#include "base/rng.h"
#include "kernels/dropout.h"

namespace bigdna::model {
namespace {

/// Eight decisions of 16 bits from each Philox block.
void fill_mask(float* mask, int64_t count, uint32_t threshold, float scale, uint64_t seed) {
  const std::array<uint32_t, 2> key{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
  at::parallel_for(0, (count + 7) / 8, 1 << 12, [&](int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
      const auto words = philox({static_cast<uint32_t>(group), static_cast<uint32_t>(group >> 32), 0, 1}, key);
      const int64_t last = std::min<int64_t>(8, count - group * 8);
      for (int64_t i = 0; i < last; ++i)
        mask[group * 8 + i] = (words[i / 2] >> (i % 2 * 16) & 0xFFFF) < threshold ? 0 : scale;
    }
  });
}

}  // namespace

at::Tensor dropout(const at::Tensor& x, double probability, uint64_t seed) {
  const uint32_t threshold = kernels::dropout_threshold(probability);
  if (threshold == 0) return x;
  if (!x.is_cpu()) {  // in one kernel, with the device's own generator, which is seeded for each mask
    at::Generator generator = at::globalContext().defaultGenerator(x.device());
    {
      std::lock_guard lock(generator.mutex());
      generator.set_current_seed(seed);
    }
    return std::get<0>(at::native_dropout(x, probability, /*train=*/true));
  }
  at::Tensor mask = at::empty(x.sizes(), at::kFloat);
  fill_mask(mask.mutable_data_ptr<float>(), mask.numel(), threshold, kernels::dropout_scale(threshold), seed);
  return x * mask.to(x.scalar_type());
}

}  // namespace bigdna::model
