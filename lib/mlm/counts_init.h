/// Starting from counts. A masked-language model of DNA tokens stays at the unigram for millions of tokens: attention is flat and
/// embeddings are noise, and neither has a gradient worth much until the other has moved. Counts of neighbouring tokens give
/// both in seconds.
///
/// Let M(a, b) = log P(b follows a) / u(b), smoothed, with u the frequencies of tokens, and M = U V^T its best approximation of low rank,
/// errors weighted by how frequent the tokens are. The word embedding of x holds U(x) and V(x) side by side. Heads of
/// layer 0 look one token ahead, or one back: bigbird's positions are sinusoids in a part of the width, which their queries turn by one
/// token; modern's rotary positions turn constants. They carry V of the next token to where U of the own one lies, and U of the one before to where V does, so that the
/// tied decoder finds M(y, next) + M(before, y) there for every y that may be hidden in between. All other weights are
/// small, and everything is trained from there.
#pragma once

#include "metrics/ngram.h"
#include "model/parameters.h"

namespace bigdna::mlm {

/// Parameters to train from: random ones (model::initialise) with these in their place. A pure function of its arguments, for
/// any number of threads. `config` has an MLM head. UsageError where its heads are too small.
model::Parameters initialise_from_counts(const model_folder::ModelConfig& config, const metrics::NgramModel& counts, uint64_t seed, int threads);

}  // namespace bigdna::mlm
