/// Gaps: a middle that a causal model predicts from what stands on both sides of it (Bavarian et al. 2022, "fill in the
/// middle"). The middle is moved behind its flanks: [CLS] left [MASK] right [SEP] middle [SEP].
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "corpus/example.h"
#include "tokenizer/encoder.h"

namespace bigdna::corpus {

/// Bases along one strand.
struct Gap {
  std::string left, middle, right;
};

/// The longest middle of training, bp.
inline constexpr int64_t kLongestGap = 100;

/// Draws where a middle stands in `bases`. Its length is 1 to min(kLongestGap, a third of the bases) bp, with
/// probability log(1 + 1 / length) / log(1 + most): each doubling of the length is equally likely. Its place is
/// uniform, so a flank may be empty. nullopt for fewer than 3 bases, and for a middle with an N.
std::optional<Gap> draw_gap(std::string_view bases, Rng& rng);

/// The parts in tokens, each tokenised by itself. So a border may lie at any base, and both alleles of a site have the
/// same flanks.
struct GapTokens {
  std::vector<tokenizer::TokenId> left, middle, right;
};
GapTokens tokenise(const Gap& gap, const tokenizer::Encoder& encoder);

/// The special tokens of the layout: [CLS], [MASK] and two [SEP]s.
inline constexpr int64_t kGapSpecials = 4;
/// Shortens the flanks at their outer ends to what a model of `max_length` tokens reads beside `middle` tokens. Each
/// has half of the room, or what the other leaves. UsageError if the middle alone has no room.
void cut_flanks(GapTokens& gap, int64_t max_length, int64_t middle);

/// Which tokens are predicted. middle: those of the middle and the [SEP] behind it, so that the probabilities of all
/// middles, of any length, sum to one. all: those of the flanks as well, without [MASK] and the first [SEP].
enum class GapPart { middle, all };
/// The example, in which each predicted token is scored at the position before it. Its prefix ends before the middle.
Example gap_example(const GapTokens& gap, const tokenizer::SpecialTokens& special, GapPart predicted);

}  // namespace bigdna::corpus
