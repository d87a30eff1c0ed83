/// The tokens of a vocabulary as a tree of bases: a token is read base by base, and then ends. A probability of tokens
/// becomes a product of probabilities of these steps, so that what predicts single bases can be mixed into it. Special
/// tokens, and those with other letters, are not in the tree.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tokenizer/vocabulary.h"

namespace bigdna::tokenizer {

class TokenTree {
 public:
  static constexpr int kEnd = 4;  // the step that ends a token; 0 to 3 are A, C, G and T
  static constexpr int kSteps = 5;
  /// What has been read of a token: all tokens that begin with the same bases.
  struct Node {
    std::array<int32_t, 4> next{-1, -1, -1, -1};  // the nodes behind A, C, G and T; -1: no token goes on so
    TokenId token = -1;                           // the one that ends here; -1: none
    int64_t first = 0, last = 0;                  // the tokens below, [first, last) in the order of their text
  };

  explicit TokenTree(const Vocabulary& vocabulary);
  const std::vector<Node>& nodes() const { return nodes_; }  // the root is the first
  /// The steps of a token of A, C, G and T: the node at which each is taken, and the step. Ends with kEnd.
  struct Step {
    int32_t node;
    int step;
  };
  const std::vector<Step>& steps(TokenId token) const { return steps_[static_cast<size_t>(token)]; }
  using Probabilities = std::array<float, kSteps>;
  /// What a model says before a token is read.
  struct Prediction {
    std::vector<Probabilities> steps;  // of all steps at the node of each step of the token, given that the token is in
                                       // the tree
    float bits = 0;                    // -log2 of the token's probability
    float outside = 0;                 // -log2 of the probability that the next token is in the tree
  };
  /// `logits`: of all tokens of the vocabulary.
  Prediction predict(std::span<const float> logits, TokenId token) const;

 private:
  std::vector<Node> nodes_;
  std::vector<TokenId> sorted_;  // the tokens of A, C, G and T, by their text
  std::vector<std::vector<Step>> steps_;
};

}  // namespace bigdna::tokenizer
