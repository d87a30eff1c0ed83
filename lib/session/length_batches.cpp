#include "session/length_batches.h"

#include <algorithm>
#include <numeric>

namespace bigdna::session {

std::vector<std::vector<size_t>> length_batches(const std::vector<int64_t>& lengths,
                                                const model_folder::ModelConfig& config, int64_t batch_tokens) {
  const int64_t block = config.pattern.block;
  const bool equal = config.pattern.random_blocks == sparsity::RandomBlocks::huggingface;
  const auto blocks = [&](size_t i) { return (lengths[i] + block - 1) / block; };
  std::vector<size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return lengths[a] > lengths[b]; });
  std::vector<std::vector<size_t>> batches;
  int64_t longest = 0;
  for (const size_t i : order) {
    const auto fits = [&](const std::vector<size_t>& batch) {
      return static_cast<int64_t>(batch.size() + 1) * longest * block <= batch_tokens &&
             (equal ? blocks(i) == longest : 8 * blocks(i) >= 7 * longest);
    };
    if (batches.empty() || !fits(batches.back())) {
      batches.emplace_back();
      longest = blocks(i);
    }
    batches.back().push_back(i);
  }
  return batches;
}

}  // namespace bigdna::session
