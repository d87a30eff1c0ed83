/// What a causal model that was trained with gaps (corpus/gaps.h) says of the bases between two flanks.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "corpus/gaps.h"
#include "session/session.h"
#include "tokenizer/encoder.h"

namespace bigdna::session {

/// ln p of a middle, given both of its flanks. NaN if it has no bases or an N, or more tokens than the model reads.
struct GapScore {
  double with_end = 0;   // of its tokens and the [SEP] behind them, among all tokens: it also says where the gap ends
  double of_length = 0;  // of its tokens, each among those of A, C, G and T that fit into the rest of its length
};

struct DrawnMiddle {
  std::string bases;
  std::vector<tokenizer::TokenId> tokens;
  double nats = 0;  // ln p: GapScore::of_length of these tokens
};

/// Every method may be called by several threads at the same time and runs on the calling one. A middle and its flanks
/// are tokenised by themselves. Flanks that are too long for the model are cut at their outer ends, to the same tokens
/// for all middles that are scored together.
class GapModel {
 public:
  /// Error if the model called `name` was not trained with gaps, or if its vocabulary lacks a token of a single base.
  static void check(const model_folder::ModelConfig& config, const tokenizer::Vocabulary& vocabulary,
                    const std::string& name);
  /// The longest middle, bp, that is sure to have room in the model beside a token on each side.
  static int64_t longest(const model_folder::ModelConfig& config);
  /// Checks the model. Both must outlive this.
  GapModel(const Session& session, const tokenizer::Encoder& encoder, const std::string& name);

  /// Of each middle between the same flanks.
  std::vector<GapScore> scores(std::string_view left, std::string_view right,
                               std::span<const std::string> middles) const;
  /// ln p of the middle given its left flank alone, as `likelihood` reads sequence in order: ln p(left and middle) - ln
  /// p(left), where each is tokenised as a whole. NaN as above.
  double left_alone(std::string_view left, const std::string& middle) const;
  /// Draws a middle of `bases` bp, at most longest(), token by token; tokens that are longer than what is left have no
  /// chance. Logits are divided by `temperature`; 0: the likeliest token each time.
  DrawnMiddle draw(std::string_view left, std::string_view right, int64_t bases, double temperature, Rng& rng) const;

 private:
  /// How many bases of a flank the model reads at most, and that part of a left one: no others need be tokenised.
  size_t reach() const;
  std::string_view near(std::string_view left) const;
  /// The flanks in tokens, with room for middles of up to so many bases.
  corpus::GapTokens flanks(std::string_view left, std::string_view right, int64_t bases, int64_t tokens) const;
  /// ln p of each token of A, C, G and T alone, in the order of tokens_, among those of at most `bases` bp; -infinity
  /// for longer ones.
  std::vector<double> fitting(std::span<const float> logits, int64_t bases, double temperature = 1) const;

  const Session& session_;
  const tokenizer::Encoder& encoder_;
  std::vector<tokenizer::TokenId> tokens_;  // of A, C, G and T alone
};

}  // namespace bigdna::session
