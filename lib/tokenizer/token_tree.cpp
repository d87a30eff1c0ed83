#include "tokenizer/token_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "genome/alphabet.h"

namespace bigdna::tokenizer {

TokenTree::TokenTree(const Vocabulary& vocabulary)
    : nodes_(1), sorted_(vocabulary.base_tokens()), steps_(vocabulary.pieces().size()) {
  std::ranges::sort(sorted_, {}, [&](TokenId id) -> const std::string& { return vocabulary.piece(id).text; });
  nodes_[0].last = std::ssize(sorted_);
  for (int64_t i = 0; i < std::ssize(sorted_); ++i) {
    const TokenId id = sorted_[static_cast<size_t>(i)];
    auto& steps = steps_[static_cast<size_t>(id)];
    int32_t node = 0;
    for (const char base : vocabulary.piece(id).text) {
      const int step = genome::base_code(base);
      steps.push_back({node, step});
      int32_t next = nodes_[static_cast<size_t>(node)].next[static_cast<size_t>(step)];
      if (next < 0) {
        next = static_cast<int32_t>(nodes_.size());
        nodes_[static_cast<size_t>(node)].next[static_cast<size_t>(step)] = next;
        nodes_.push_back({.first = i});
      }
      node = next;
      nodes_[static_cast<size_t>(node)].last = i + 1;
    }
    steps.push_back({node, kEnd});
    nodes_[static_cast<size_t>(node)].token = id;
  }
}

TokenTree::Prediction TokenTree::predict(std::span<const float> logits, TokenId token) const {
  const double largest = *std::ranges::max_element(logits);
  const auto weight = [&](TokenId id) { return std::exp(logits[static_cast<size_t>(id)] - largest); };
  std::vector<double> before(sorted_.size() + 1);  // the sum of the tokens before each
  for (size_t i = 0; i < sorted_.size(); ++i) before[i + 1] = before[i] + weight(sorted_[i]);
  const auto below = [&](const Node& node) {
    return before[static_cast<size_t>(node.last)] - before[static_cast<size_t>(node.first)];
  };
  double all = 0;
  for (const float logit : logits) all += std::exp(logit - largest);
  const double bits = std::log2(all) - (logits[static_cast<size_t>(token)] - largest) * std::numbers::log2e;
  Prediction prediction{
      .steps = {}, .bits = static_cast<float>(bits), .outside = static_cast<float>(std::log2(all / before.back()))};
  for (const auto& [at, step] : steps(token)) {
    const Node& node = nodes_[static_cast<size_t>(at)];
    const double total = std::max(below(node), std::numeric_limits<double>::min());
    auto& of_step = prediction.steps.emplace_back();
    for (size_t base = 0; base < 4; ++base)
      if (node.next[base] >= 0)
        of_step[base] = static_cast<float>(below(nodes_[static_cast<size_t>(node.next[base])]) / total);
    if (node.token >= 0) of_step[kEnd] = static_cast<float>(weight(node.token) / total);
  }
  return prediction;
}

}  // namespace bigdna::tokenizer
