#include <map>
#include <mutex>
#include <tuple>

#include "base/error.h"
#include "model/attention/backend.h"

namespace bigdna::model {
namespace {

using Layout = std::shared_ptr<const sparsity::BlockLayout>;

/// Layouts by configuration and place, emptied when it holds more than kMaxPairs block pairs (8 bytes each).
class LayoutCache {
 public:
  Layout get(const sparsity::PatternConfig& pattern, sparsity::Place place) {
    if (!sparsity::differs_by_head(pattern)) place.layer = place.head = 0, place.heads = 1;
    const Key key{pattern.name, pattern.block, pattern.global, pattern.window, pattern.random, pattern.stride, pattern.global_blocks,
                  pattern.random_blocks, pattern.seed, place.layer, place.head, place.heads, place.blocks};
    std::lock_guard lock(mutex_);
    if (const auto found = layouts_.find(key); found != layouts_.end()) return found->second;
    if (pairs_ > kMaxPairs) layouts_.clear(), pairs_ = 0;
    auto layout = std::make_shared<const sparsity::BlockLayout>(sparsity::make_layout(pattern, place));
    pairs_ += layout->pairs();
    return layouts_[key] = layout;
  }

 private:
  using Key = std::tuple<std::string, int64_t, int64_t, int64_t, int64_t, int64_t, sparsity::GlobalBlocks, sparsity::RandomBlocks,
                         uint64_t, int64_t, int64_t, int64_t, int64_t>;
  static constexpr int64_t kMaxPairs = 32 << 20;
  std::mutex mutex_;
  std::map<Key, Layout> layouts_;
  int64_t pairs_ = 0;
};

}  // namespace

AttentionPlan plan_attention(const sparsity::PatternConfig& pattern, int64_t layer, int64_t heads,
                             const std::vector<int64_t>& lengths, int64_t n) {
  static LayoutCache cache;
  AttentionPlan plan{pattern.block, lengths, {}};
  const bool padded = pattern.random_blocks == sparsity::RandomBlocks::huggingface;
  for (const int64_t length : lengths) {
    if (length < 1 || length > n || n % pattern.block != 0)
      fail("attention over ", length, " of ", n, " tokens in blocks of ", pattern.block);
    const int64_t blocks = ((padded ? n : length) + pattern.block - 1) / pattern.block;
    for (int64_t head = 0; head < heads; ++head) plan.layouts.push_back(cache.get(pattern, {layer, head, heads, blocks}));
  }
  return plan;
}

}  // namespace bigdna::model
