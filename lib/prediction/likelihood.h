/// How likely a language model finds sequences.
#pragma once

#include <cstdint>
#include <vector>

#include "corpus/example.h"
#include "prediction/likelihood_options.h"
#include "prediction/pieces.h"
#include "tokenizer/vocabulary.h"

namespace bigdna::prediction {

/// The inputs that score every token of a piece once: of `passes`, the k-th masks tokens k, k + passes, k + 2 passes
/// ... of the piece. Tokens with N and special ones ([UNK]) are never masked, and so have no score.
std::vector<corpus::Example> masked_in_turn(const RecordPiece& piece, int64_t passes,
                                            const tokenizer::Vocabulary& vocabulary);
/// The input that scores the same tokens by a causal model: each position predicts the token behind it.
corpus::Example predicted_in_order(const RecordPiece& piece, const tokenizer::Vocabulary& vocabulary);

/// Writes bits, i.e. -log2 p, of the tokens of records or regions by a masked language model (the pseudo-log-likelihood
/// of Wang and Cho 2019, with a share of the tokens hidden at once instead of one): each token is scored once, given
/// the tokens of its piece that are visible then. Causal models give each token's -log2 p given those before it, whose
/// sum is the exact likelihood of a piece's tokens. Long records are cut into the fewest pieces that the model reads,
/// of equal size. Columns: docs/commands/likelihood.md. A bigWig holds each token's bits per base over its bases.
void likelihood(const LikelihoodOptions& options);

}  // namespace bigdna::prediction
