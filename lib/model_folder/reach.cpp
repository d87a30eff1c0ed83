#include "model_folder/reach.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "model_folder/stack.h"
#include "sparsity/pattern.h"

namespace bigdna::model_folder {
namespace {

using Blocks = std::vector<bool>;  // those that have been read

/// A text in blocks, behind those of extra global tokens.
class BlockedText {
 public:
  BlockedText(const ModelConfig& config, int64_t n)
      : config_(config),
        n_(n),
        extra_(sparsity::extra_tokens(config.pattern) / config.pattern.block),
        blocks_(extra_ + (n + config.pattern.block - 1) / config.pattern.block) {}

  int64_t extra() const { return extra_; }
  int64_t blocks() const { return blocks_; }

  /// The blocks that each block reads in a layer: all of them, or (`partly`) also some tokens of them. Tokens that lie
  /// `t` apart are in blocks that are floor(t / block) or ceil(t / block) apart.
  std::vector<Blocks> layer(int64_t run, bool partly) const {
    std::vector<Blocks> rows(static_cast<size_t>(blocks_), Blocks(static_cast<size_t>(blocks_)));
    const auto& row = attention(config_);
    const int64_t by_pattern = row.follows_pattern ? config_.heads : pattern_heads(config_, run);
    const int64_t layouts = sparsity::differs_by_head(config_.pattern) ? by_pattern : std::min<int64_t>(1, by_pattern);
    for (int64_t head = 0; head < layouts; ++head) {
      const auto layout = sparsity::make_layout(
          config_.pattern, {.layer = run, .head = head, .heads = config_.heads, .blocks = blocks_});
      for (int64_t query = 0; query < blocks_; ++query)
        for (const auto key : layout.keys_of(query)) rows[static_cast<size_t>(query)][static_cast<size_t>(key)] = true;
    }
    if (by_pattern == config_.heads || (row.gaps && !partly)) return rows;
    const double reach = (row.reach ? row.reach(config_, n_, run) : static_cast<double>(n_)) /
                         static_cast<double>(config_.pattern.block),
                 most = partly ? std::ceil(reach) : std::floor(reach);
    for (int64_t query = 0; query < blocks_; ++query)
      for (int64_t key = 0; key < visible(query); ++key)
        if (std::min(query, key) < extra_ || static_cast<double>(std::abs(query - key)) <= most)
          rows[static_cast<size_t>(query)][static_cast<size_t>(key)] = true;
    return rows;
  }

  int64_t visible(int64_t query) const { return config_.is_causal() ? query + 1 : blocks_; }

 private:
  const ModelConfig& config_;
  int64_t n_, extra_, blocks_;
};

/// What has been read after one more layer, in front of those that `read` went through.
Blocks through(const std::vector<Blocks>& layer, const Blocks& read) {
  Blocks all = read;
  for (size_t block = 0; block < read.size(); ++block) {
    if (!read[block]) continue;
    for (size_t key = 0; key < all.size(); ++key) all[key] = all[key] || layer[block][key];
    if (std::ranges::find(all, false) == all.end()) break;
  }
  return all;
}

}  // namespace

Reach reach_of(const ModelConfig& config, int64_t n, int64_t first, int64_t count) {
  const BlockedText text(config, n);
  /// The nearest block that a block does not read, and the farthest one that it reads, in blocks.
  struct Distances {
    std::optional<int64_t> unread;
    int64_t read = 0;
  };
  const auto distances = [&](bool partly) {
    std::vector<std::vector<Blocks>> layers;
    for (int64_t i = 0; i < count; ++i) layers.push_back(text.layer(first + i, partly));
    Distances found;
    for (int64_t query = text.extra(); query < text.blocks(); ++query) {
      Blocks read(static_cast<size_t>(text.blocks()));
      read[static_cast<size_t>(query)] = true;
      for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) read = through(*layer, read);
      for (int64_t key = text.extra(); key < text.visible(query); ++key) {
        const int64_t apart = std::abs(query - key);
        if (read[static_cast<size_t>(key)])
          found.read = std::max(found.read, apart);
        else
          found.unread = std::min(found.unread.value_or(apart), apart);
      }
    }
    return found;
  };
  const auto unread = distances(/*partly=*/false).unread;
  const int64_t block = config.pattern.block, read = distances(/*partly=*/true).read;
  return {std::min(n - 1, unread ? (*unread - 1) * block : n - 1), std::min(n - 1, read * block + block - 1)};
}

}  // namespace bigdna::model_folder
