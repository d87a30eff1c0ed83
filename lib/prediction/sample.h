/// Sequences that a causal model draws.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/rng.h"
#include "prediction/sample_options.h"
#include "session/decoder.h"
#include "tokenizer/vocabulary.h"

namespace bigdna::prediction {

/// Draws tokens of A, C, G and T alone: never a special one, nor one with N.
class TokenDraw {
 public:
  /// Logits are divided by `temperature`. `top`: of the tokens, only so many of the likeliest are drawn (and what is as
  /// likely as the last of them); 0: all. Error if the vocabulary has no such token.
  TokenDraw(const tokenizer::Vocabulary& vocabulary, double temperature = 1, int64_t top = 0);
  tokenizer::TokenId operator()(std::span<const float> logits, Rng& rng) const;

 private:
  std::vector<tokenizer::TokenId> allowed_;
  double temperature_;
  int64_t top_;
};
/// -log2 of a token's probability among all tokens, as `likelihood` gives it.
double bits_of(std::span<const float> logits, tokenizer::TokenId id);

struct DrawnSequence {
  std::string bases;                       // as many as were asked for: the last token may be cut
  std::vector<tokenizer::TokenId> tokens;  // whole
  double bits = 0;                         // of these, given those before them
};

/// How many sequences are drawn side by side. They are always so many, so that a sequence does not depend on how many
/// are asked for.
inline constexpr int64_t kDrawnTogether = 8;
/// Sequences `first` to first + kDrawnTogether - 1 of those that a seed stands for. Each begins with what follows [CLS]
/// and the prompt's tokens. The model reads at most its length; behind that it reads [CLS] and the last half of the
/// tokens, so that each token is drawn given this half at least.
std::vector<DrawnSequence> draw_sequences(const session::Decoder& decoder, const tokenizer::Vocabulary& vocabulary,
                                          const TokenDraw& draw, std::span<const tokenizer::TokenId> prompt,
                                          int64_t bases, uint64_t seed, int64_t first);

/// Writes FASTA: for each prompt, or once without, `count` sequences with their number of tokens and bits.
void sample(const SampleOptions& options);

}  // namespace bigdna::prediction
