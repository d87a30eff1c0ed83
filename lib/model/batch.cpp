#include "model/batch.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "base/error.h"

namespace bigdna::model {

int64_t Batch::tokens() const {
  int64_t sum = 0;
  for (const int64_t length : lengths) sum += length;
  return sum;
}

Batch make_batch(const std::vector<corpus::Example>& examples, int64_t block, int64_t pad_id,
                 const at::Device& device) {
  Batch batch;
  int64_t longest = 1, masked_count = 0;
  for (const auto& example : examples) {
    if (example.ids.empty()) fail("an example has no tokens");
    batch.lengths.push_back(static_cast<int64_t>(example.ids.size()));
    batch.prefixes.push_back(example.prefix);
    batch.scales.push_back(example.scales);
    longest = std::max(longest, batch.lengths.back());
    masked_count += static_cast<int64_t>(example.masked.size());
  }
  const int64_t n = (longest + block - 1) / block * block;
  const auto size = static_cast<int64_t>(examples.size());

  at::Tensor ids = at::full({size, n}, pad_id, at::kLong), types = at::zeros({size, n}, at::kLong);
  at::Tensor masked = at::empty({masked_count}, at::kLong), labels = at::empty({masked_count}, at::kLong);
  auto* next_masked = masked.mutable_data_ptr<int64_t>();
  auto* next_label = labels.mutable_data_ptr<int64_t>();
  for (size_t i = 0; i < examples.size(); ++i) {
    const auto& example = examples[i];
    const int64_t row = static_cast<int64_t>(i) * n;
    batch.largest_id = std::max(batch.largest_id, *std::max_element(example.ids.begin(), example.ids.end()));
    std::copy(example.ids.begin(), example.ids.end(), ids.mutable_data_ptr<int64_t>() + row);
    std::copy(example.token_types.begin(), example.token_types.end(), types.mutable_data_ptr<int64_t>() + row);
    for (const int32_t position : example.masked) *next_masked++ = row + position;
    next_label = std::copy(example.masked_labels.begin(), example.masked_labels.end(), next_label);
    if (example.targets.size() != examples.front().targets.size())
      fail("examples in one batch have different numbers of targets");
    if (example.pooled.size() != examples.front().pooled.size())
      fail("examples in one batch have different numbers of pooled states");
    if (example.weights.size() != examples.front().weights.size())
      fail("examples in one batch have different numbers of bins");
  }
  // From pinned memory, the copy to a GPU can run at the same time as the previous step's kernels.
  const auto moved = [&](const at::Tensor& tensor) {
    return device.is_cuda() ? tensor.pin_memory().to(device, /*non_blocking=*/true) : tensor;
  };
  batch.ids = moved(ids);
  batch.token_types = moved(types);
  batch.masked = moved(masked);
  batch.masked_labels = moved(labels);
  const auto matrix = [&](std::vector<float> corpus::Example::*values) {
    const size_t columns = examples.empty() ? 0 : (examples.front().*values).size();
    if (columns == 0) return at::Tensor();
    at::Tensor rows = at::empty({size, static_cast<int64_t>(columns)}, at::kFloat);
    auto* next = rows.mutable_data_ptr<float>();
    for (const auto& example : examples) next = std::copy((example.*values).begin(), (example.*values).end(), next);
    return moved(rows);
  };
  batch.targets = matrix(&corpus::Example::targets);
  batch.pooled = matrix(&corpus::Example::pooled);
  batch.weights = matrix(&corpus::Example::weights);
  return batch;
}

}  // namespace bigdna::model
