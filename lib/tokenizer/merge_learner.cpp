#include "tokenizer/merge_learner.h"

#include <algorithm>
#include <cmath>

#include "base/log.h"
#include "tokenizer/sparse_phase.h"

namespace bigdna::tokenizer {
namespace {

constexpr size_t kMostShardTokens = size_t{1} << 31;  // positions in a shard are 32-bit

template <class Token>
std::vector<int64_t> run_sparse(SentenceText& text, const std::vector<DenseShard>& shards, const DenseResult& dense,
                                PieceList& pieces, const LearnerOptions& options, Team& team, const OnMerge& on_merge) {
  SparsePhase<Token> sparse(text, shards, pieces, options.wanted, team, options.memory);
  sparse.run(dense, on_merge);
  return sparse.token_counts();
}

}  // namespace

LearnedMerges learn_merges(SentenceText text, const LearnerOptions& options) {
  Team team(options.threads);
  PieceList pieces(text.symbols, options.max_length);
  std::vector<DenseShard> shards =
      cut_into_shards(text, std::max<size_t>(static_cast<size_t>(options.threads), text.size / kMostShardTokens + 1));
  LearnedMerges learned;
  // The k-th merge changes about 1/k as many places as the first one, and costs as much less.
  log::Progress progress("merges", options.wanted, "merges", [](double done) { return std::log1p(done); });
  const OnMerge on_merge = [&](int64_t count) {
    learned.counts.push_back(count);
    progress.update(learned.counts.size());
  };
  const DenseResult dense = dense_phase(text, shards, options.wanted, options.dense_tokens, pieces, team, on_merge);
  log::verbose("dense phase: ", pieces.merges(), " merges");
  if (pieces.merges() == options.wanted || dense.exhausted) {
    std::vector<int64_t> counts(size_t{SentenceText::kEnd} + 1);
    for (const DenseShard& shard : shards)
      for (size_t i = 0; i < shard.size; ++i) ++counts[text.tokens[shard.begin + i]];
    counts.resize(pieces.size());
    learned.token_counts = std::move(counts);
  } else if (text.symbols.size() + options.wanted < SparseShard<uint16_t>::kMostTokens) {
    learned.token_counts = run_sparse<uint16_t>(text, shards, dense, pieces, options, team, on_merge);
  } else {
    learned.token_counts = run_sparse<uint32_t>(text, shards, dense, pieces, options, team, on_merge);
  }
  for (size_t i = text.symbols.size(); i < pieces.size(); ++i) learned.pieces.push_back(pieces.text(i));
  return learned;
}

}  // namespace bigdna::tokenizer
