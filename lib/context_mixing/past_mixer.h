/// Mixes what was read before into a causal model's probabilities: counts of the next base by the bases before it,
/// counts of tokens, and copies of XM (Cao et al. 2007). A token is a path of steps through the vocabulary's tree
/// (tokenizer/token_tree.h), and each step's probability is fixed before the step is read. So bits remain the length of
/// a code, and the mixed probabilities of all tokens add up to one.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "context_mixing/copy_index.h"
#include "context_mixing/log_mixer.h"
#include "context_mixing/order_counts.h"
#include "tokenizer/encoder.h"
#include "tokenizer/token_tree.h"

namespace bigdna::context_mixing {

/// How often copies that agree as well as each other were right. Later sequence counts more.
struct CopyShare {
  static constexpr float kMost = 65536;  // far below 2^24, where a float stops counting
  float seen = 6, right = 3;
  float value() const { return right / seen; }
  void add(bool was_right) {
    seen += 1, right += was_right;
    if (seen > kMost) seen /= 2, right /= 2;
  }
};

class PastMixer {
 public:
  /// `encoder`, the model's, and its tree must outlive this.
  PastMixer(const tokenizer::Encoder& encoder, const tokenizer::TokenTree& tree);
  /// Bases that are known and not predicted.
  void read(std::string_view bases);
  /// Ends a record: what follows does not continue it.
  void end_record();
  /// -log2 of the mixed probability of the next token, given that it is of A, C, G and T, from the model's
  /// probabilities of its steps (TokenTree::predict); then reads the token. Without `steps` the token has no
  /// score and is only read: NaN. `bases`: how many it covers.
  float mix(tokenizer::TokenId token, int64_t bases, std::span<const LogMixer::Probabilities> steps);
  int64_t told() const { return told_; }    // tokens for which there was a copy
  int64_t right() const { return right_; }  // of these, those that one of the copies told right

 private:
  static constexpr size_t kCopies = 24, kVoices = 6;  // that are followed, and that have a weight of their own
  enum Input : size_t {
    kModel,
    kTokens,
    kPairs,
    kEnds,
    kFirstOrder,
    kFirstCopy = kFirstOrder + OrderCounts::kOrders.size()
  };
  static_assert(kFirstCopy + kVoices <= LogMixer::kMost);

  /// A place that is followed, and what it says of the token that is being read.
  struct Copy {
    CopyIndex::Place place;  // before the token's first base, and so before the next base after each of them
    uint64_t equal;          // of the last 64 bases, those that are as in the copy; the last is the lowest bit
    tokenizer::TokenId told = -1;
    bool left = false;  // the token is another than `told`
  };
  struct Voice {
    int step;
    CopyShare* share;
  };
  /// How often a node's steps were taken, and which bases followed where a token went on or ended.
  struct NodeCounts {
    std::array<double, LogMixer::kSteps> steps{0.1, 0.1, 0.1, 0.1, 0.1};
    std::array<double, 4> went_on{0.02, 0.02, 0.02, 0.02}, ended{0.02, 0.02, 0.02, 0.02};
  };
  using PairCounts = std::array<uint8_t, LogMixer::kSteps>;

  float goes_on(int32_t node, size_t base) const;
  PairCounts& pairs(int32_t node);
  void find_copies();
  Voice voice_of(const Copy& copy, size_t depth);
  void count_step(int32_t node, int step);
  void count_base(int base);
  float mix_step(size_t depth, int32_t node, int step, const LogMixer::Probabilities& model);

  const tokenizer::Encoder& encoder_;
  const tokenizer::TokenTree& tree_;
  size_t longest_;  // bases of a piece
  CopyIndex index_;
  OrderCounts orders_;
  std::vector<NodeCounts> nodes_;
  std::vector<PairCounts> pairs_;  // by the token before and the node, hashed
  int32_t before_ = -1;            // the node where the token before ended; -1: there is none
  std::vector<Copy> copies_;
  std::vector<CopyShare> shares_;  // by how well a copy agrees
  LogMixer mixer_;
  int64_t told_ = 0, right_ = 0;
};

}  // namespace bigdna::context_mixing
