/// Initialisation from counts. A masked-language model of DNA tokens stays at the unigram for millions of tokens:
/// attention is uniform and embeddings are noise, and neither has a useful gradient until the other has changed. Counts
/// of neighbouring tokens give both in seconds.
///
/// Let M(a, b) = log(P(b follows a) / u(b)), smoothed, where u are the frequencies of tokens, and let M = U V^T be its
/// best approximation of low rank, with errors weighted by the frequencies. The word embedding of x holds U(x) and V(x)
/// side by side. Heads of layer 0 attend to the next token, or to the previous one: in bigbird, positions are sinusoids
/// in a part of the width, which queries rotate by one token; in modern, rotary positions rotate constants. The heads
/// copy V of the next token to the columns of U, and U of the previous token to those of V. So the tied decoder
/// computes M(y, next) + M(previous, y) for every y that may be hidden in between. In causal models the token itself is
/// the previous one: the language head's matrix moves its U to where the decoder reads V, and the heads attend to the
/// token before it, but hand on nothing yet. All other weights are small, and all
/// weights are trained.
#pragma once

#include "mlm/ngram.h"
#include "model/parameters.h"

namespace bigdna::mlm {

/// UsageError naming the smallest hidden size that these weights fit into, if `config` has a smaller one.
void check_counts_init(const model_folder::ModelConfig& config);

/// Returns random parameters (model::initialise) with these weights set. A pure function of its arguments, for any
/// number of threads. `config` has an MLM head. UsageError as check_counts_init().
model::Parameters initialise_from_counts(const model_folder::ModelConfig& config, const NgramModel& counts,
                                         uint64_t seed, int threads);

}  // namespace bigdna::mlm
