/// The parts of the initialisation from counts (counts_init.h).
#pragma once

#include <ATen/core/Tensor.h>

#include "mlm/ngram.h"
#include "model/parameters.h"

namespace bigdna::mlm {

struct CountFactors {
  at::Tensor before, after;  // [vocabulary, rank] of floats: M(a, b) = before(a) . after(b)
};
/// The best factors of that rank, by randomised subspace iteration (Halko, Martinsson and Tropp 2011). A pure function
/// of its arguments, for any number of threads.
CountFactors factorise(const NgramModel& counts, int64_t rank, uint64_t seed, int threads);

/// The heads of layer 0 that attend to neighbours: the first `each` to the next token, as many after them to the
/// previous one. A single head attends to the next token. In causal models all attend to the previous one.
struct NeighbourHeads {
  int64_t each, count;
  bool causal;
  explicit NeighbourHeads(const model_folder::ModelConfig& config);
  bool ahead(int64_t head) const { return !causal && head < each; }
  /// The head's index among those with the same direction.
  int64_t place(int64_t head) const { return head % each; }
};

/// Makes the MLM head's matrix hand on its input, times kTransform. In causal models it hands on what tokens before
/// (columns from `before` on) make of the next one (from `after` on), and drops the rest of these `rank` columns.
void set_dense(const model_folder::ModelConfig& config, int64_t before, int64_t after, int64_t rank,
               const at::Tensor& dense);

/// An element of a matrix of floats.
float& element(const at::Tensor& matrix, int64_t row, int64_t column);
/// The sum of squares of a word embedding, averaged over the tokens of the text and divided by `columns`.
double mean_square(const at::Tensor& words, const NgramModel& counts, int64_t columns);

/// Set the encoder and the MLM head's transform of an architecture, in random parameters of a size that
/// check_counts_init() accepts.
void start_bigbird(const model_folder::ModelConfig& config, const NgramModel& counts, uint64_t seed, int threads,
                   model::Parameters& parameters);
void start_modern(const model_folder::ModelConfig& config, const NgramModel& counts, uint64_t seed, int threads,
                  model::Parameters& parameters);

// The factor of random weights beside those that are set; and a bias around which GELU is nearly linear, with the
// factor of its input.
inline constexpr double kRest = 0.1;
inline constexpr double kTransform = 0.5, kTransformBias = 2;

}  // namespace bigdna::mlm
