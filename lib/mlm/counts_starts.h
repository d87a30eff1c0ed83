/// The parts of starting from counts (counts_init.h).
#pragma once

#include <ATen/core/Tensor.h>

#include "metrics/ngram.h"
#include "model/parameters.h"

namespace bigdna::mlm {

struct Factors {
  at::Tensor before, after;  // [vocabulary, rank] of floats: M(a, b) = before(a) . after(b)
};
/// The best of that rank, by randomised subspace iteration (Halko, Martinsson and Tropp 2011). A pure function of its arguments, for any number of
/// threads.
Factors factorise(const metrics::NgramModel& counts, int64_t rank, uint64_t seed, int threads);

/// The heads of layer 0 that look at neighbours: the first `each` one token ahead, as many after them one back; a single head looks ahead.
struct NeighbourHeads {
  int64_t each, count;
  explicit NeighbourHeads(const model_folder::ModelConfig& config);
  bool ahead(int64_t head) const { return head < each; }
  /// Its place among those that look the same way.
  int64_t place(int64_t head) const { return ahead(head) ? head : head - each; }
};

/// A matrix's element.
float& element(const at::Tensor& matrix, int64_t row, int64_t column);
/// The mean square of the words' numbers, over the tokens of the text, if they filled `columns` columns.
double mean_square(const at::Tensor& words, const metrics::NgramModel& counts, int64_t columns);

/// Set the encoder and the MLM head's transform of an architecture, in random parameters. UsageError where there is no room.
void start_bigbird(const model_folder::ModelConfig& config, const metrics::NgramModel& counts, uint64_t seed, int threads, model::Parameters& parameters);
void start_modern(const model_folder::ModelConfig& config, const metrics::NgramModel& counts, uint64_t seed, int threads, model::Parameters& parameters);

// What random weights beside those that are set are scaled by, and where GELU is nearly linear: a multiple of what it gets, and what is added.
inline constexpr double kRest = 0.1;
inline constexpr double kTransform = 0.5, kTransformBias = 2;

}  // namespace bigdna::mlm
