#include "corpus/gaps.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace bigdna::corpus {

std::optional<Gap> draw_gap(std::string_view bases, Rng& rng) {
  const auto length = std::ssize(bases), most = std::min(kLongestGap, length / 3);
  if (most < 1) return std::nullopt;
  const double doublings = rng.uniform() * std::log1p(static_cast<double>(most));
  const auto size = std::clamp<int64_t>(static_cast<int64_t>(std::exp(doublings)), 1, most);
  const int64_t start = rng.between(0, length - size);
  const auto part = [&](int64_t from, int64_t count) {
    return std::string(bases.substr(static_cast<size_t>(from), static_cast<size_t>(count)));
  };
  Gap gap{part(0, start), part(start, size), part(start + size, length - start - size)};
  if (gap.middle.find('N') != std::string::npos) return std::nullopt;
  return gap;
}

GapTokens tokenise(const Gap& gap, const tokenizer::Encoder& encoder) {
  GapTokens tokens;
  encoder.encode_ids(gap.left, tokens.left);
  encoder.encode_ids(gap.middle, tokens.middle);
  encoder.encode_ids(gap.right, tokens.right);
  return tokens;
}

void cut_flanks(GapTokens& gap, int64_t max_length, int64_t middle) {
  const int64_t room = max_length - kGapSpecials - middle;
  if (room < 0)
    throw UsageError(concat("a gap of ", middle, " tokens: the model reads ", max_length,
                            ", and [CLS], [MASK] and two [SEP] are four of them"));
  const auto left = std::ssize(gap.left), right = std::ssize(gap.right);
  const int64_t behind = std::min(right, std::max(room / 2, room - left));
  gap.right.resize(static_cast<size_t>(behind));
  gap.left.erase(gap.left.begin(), gap.left.end() - std::min(left, room - behind));
}

Example gap_example(const GapTokens& gap, const tokenizer::SpecialTokens& special, GapPart predicted) {
  Example example;
  const auto push = [&](tokenizer::TokenId id, bool scored) {
    if (scored) {
      example.masked.push_back(static_cast<int32_t>(example.ids.size()) - 1);
      example.masked_labels.push_back(id);
    }
    example.ids.push_back(id);
  };
  const bool flanks = predicted == GapPart::all;
  push(special.cls, false);
  for (const auto id : gap.left) push(id, flanks && id != special.unk);
  push(special.mask, false);
  for (const auto id : gap.right) push(id, flanks && id != special.unk);
  push(special.sep, false);
  example.prefix = static_cast<int32_t>(example.ids.size());
  for (const auto id : gap.middle) push(id, id != special.unk);
  push(special.sep, true);
  example.token_types.assign(example.ids.size(), 0);
  return example;
}

}  // namespace bigdna::corpus
