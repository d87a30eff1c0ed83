#include <array>
#include <map>
#include <mutex>

#include "base/error.h"
#include "model/attention/backend.h"

namespace bigdna::model {
namespace {

using Layout = std::shared_ptr<const sparsity::BlockLayout>;

/// Layouts by configuration and place, emptied when it holds more than kMaxPairs block pairs (8 bytes each).
class LayoutCache {
 public:
  /// Those of `heads` heads for each of `places` (sequences: their blocks and prefixes), head fastest.
  std::vector<Layout> get(const sparsity::PatternConfig& pattern, int64_t layer, int64_t heads,
                          const std::vector<sparsity::Place>& places) {
    const bool by_head = sparsity::differs_by_head(pattern);
    std::vector<Layout> layouts;
    layouts.reserve(places.size() * static_cast<size_t>(heads));
    std::lock_guard lock(mutex_);
    if (pairs_ > kMaxPairs) layouts_.clear(), pairs_ = 0;
    auto& known = layouts_[pattern];
    for (sparsity::Place place : places) {
      if (!by_head) layouts.insert(layouts.end(), static_cast<size_t>(heads), find_or_make(known, pattern, place));
      place.layer = layer, place.heads = heads;
      for (place.head = 0; by_head && place.head < heads; ++place.head)
        layouts.push_back(find_or_make(known, pattern, place));
    }
    return layouts;
  }

 private:
  using Layouts = std::map<std::array<int64_t, 5>, Layout>;  // of one pattern

  const Layout& find_or_make(Layouts& known, const sparsity::PatternConfig& pattern, const sparsity::Place& place) {
    Layout& layout = known[{place.layer, place.head, place.heads, place.blocks, place.prefix}];
    if (!layout) {
      layout = std::make_shared<const sparsity::BlockLayout>(sparsity::make_layout(pattern, place));
      pairs_ += layout->pairs();
    }
    return layout;
  }

  static constexpr int64_t kMaxPairs = 32 << 20;
  std::mutex mutex_;
  std::map<sparsity::PatternConfig, Layouts> layouts_;
  int64_t pairs_ = 0;
};

}  // namespace

AttentionPlan plan_attention(const sparsity::PatternConfig& pattern, int64_t layer, int64_t heads,
                             const std::vector<int64_t>& lengths, int64_t n, const std::vector<int64_t>& prefixes) {
  static LayoutCache cache;
  const bool padded = pattern.random_blocks == sparsity::RandomBlocks::huggingface;
  std::vector<sparsity::Place> places;
  for (const int64_t length : lengths) {
    if (length < 1 || length > n || n % pattern.block != 0)
      fail("attention: invalid shape: ", length, " of ", n, " tokens in blocks of ", pattern.block);
    places.push_back({.blocks = ((padded ? n : length) + pattern.block - 1) / pattern.block});
    if (!prefixes.empty()) places.back().prefix = prefixes[places.size() - 1] / pattern.block;
  }
  return {pattern.block, lengths, cache.get(pattern, layer, heads, places), pattern.causal};
}

}  // namespace bigdna::model
