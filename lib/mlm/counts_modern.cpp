/// Initialisation of modern from counts. There are no biases, so two columns of the word embeddings are constants of
/// opposite sign. Queries and keys read them, rotary positions rotate them by the distance, and a query that is rotated
/// by one more token has the largest product with the key of the next token. Two more columns give the embeddings of
/// all tokens the same norm, so that LayerNorm divides all by the same number: the constants stay constant, and the
/// small factors of rare tokens stay small.
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "mlm/counts_starts.h"

namespace bigdna::mlm {
namespace {

// kSharpness was chosen by bits per base at the start of training on human chromosome 20, kTrust from 0.6 and 1; the
// others were not tuned. squared norm of every embedding, in units of the mean squared norm of a token's factors
constexpr double kLength = 4;
constexpr double kConstants = 1;  // the constants' share of it, in the same units
// log of the ratio of the neighbour's attention weight to that of the tokens beside it
constexpr double kSharpness = 4;
constexpr double kTrust = 1;  // factor of the sum of both neighbours' terms

/// How the hidden width is divided: factors of the previous token, of the next token, unused columns, and at the end
/// the constants and the filling that makes norms equal, each with both signs.
struct Places {
  int64_t rank, before, after, constant, filling;
  NeighbourHeads heads;
  explicit Places(const model_folder::ModelConfig& config) : heads(config) {
    rank = std::min({(config.hidden - 4) / 2, config.head_size() * heads.each, config.vocab_size});
    before = 0, after = rank, constant = config.hidden - 4, filling = config.hidden - 2;
  }
};

void set_pair(const at::Tensor& matrix, int64_t row, int64_t column, double value) {
  element(matrix, row, column) = static_cast<float>(value);
  element(matrix, row, column + 1) = static_cast<float>(-value);
}

/// The constants and a hidden token's filling after LayerNorm, and the number that it divides by.
struct Sizes {
  double constant, filling, divisor;
};

Sizes set_embeddings(const NgramModel& counts, const CountFactors& factors, const Places& places,
                     const at::Tensor& words) {
  words.narrow(1, places.before, places.rank).add_(factors.before);
  words.narrow(1, places.after, places.rank).add_(factors.after);
  words.narrow(1, places.constant, 4).zero_();
  const double mean = mean_square(words, counts, 1), length = kLength * mean, constants = kConstants * mean;
  const auto filling = [&](double square) { return std::sqrt(std::max(0.0, length - constants - square) / 2); };
  for (int64_t t = 0; t < words.size(0); ++t) {
    const double square = words.select(0, t).square().sum().item<double>();
    set_pair(words, t, places.constant, std::sqrt(constants / 2));
    set_pair(words, t, places.filling, filling(square));
  }
  const double divisor = std::sqrt(length / static_cast<double>(words.size(1)));
  return {std::sqrt(constants / 2) / divisor, filling(0) / divisor, divisor};
}

/// Makes a row of a matrix read a constant.
void add_constant(const at::Tensor& matrix, int64_t row, const Places& places, double value, const Sizes& sizes) {
  const auto weight = static_cast<float>(value / (2 * sizes.constant));
  element(matrix, row, places.constant) += weight;
  element(matrix, row, places.constant + 1) -= weight;
}

/// Sets heads of layer 0 that attend to the next or previous token, and copy its factors to where the decoder reads
/// them.
void set_neighbour_heads(const model_folder::ModelConfig& config, const Places& places, const Sizes& sizes,
                         model::Parameters& parameters) {
  const at::Tensor qkv = parameters.at("model.layers.0.attn.Wqkv.weight"),
                   output = parameters.at("model.layers.0.attn.Wo.weight");
  const int64_t head = config.head_size(), half = head / 2;
  const auto turn = [&](int64_t f) {
    return std::pow(config.rope_theta, -static_cast<double>(2 * f) / static_cast<double>(head));
  };
  double fall = 0;  // decrease of the sum of cosines from the neighbour to the tokens beside it
  for (int64_t f = 0; f < half; ++f) fall += 1 - std::cos(turn(f));
  const double length = std::sqrt(kSharpness * std::sqrt(static_cast<double>(head)) / fall);
  for (int64_t h = 0; h < places.heads.count; ++h) {
    const bool ahead = places.heads.ahead(h);
    // first row of this head; first of the factors that it copies
    const int64_t first = h * head, carried = places.heads.place(h) * head;
    const int64_t query = first, key = config.hidden + first, value = 2 * config.hidden + first;
    for (const int64_t rows : {query, key, value}) qkv.narrow(0, rows, head).mul_(kRest);
    output.narrow(1, first, head).mul_(kRest);
    for (int64_t f = 0; f < half; ++f) {
      const double angle = (ahead ? 1 : -1) * turn(f);
      add_constant(qkv, key + f, places, length, sizes);
      add_constant(qkv, query + f, places, length * std::cos(angle), sizes);
      add_constant(qkv, query + half + f, places, length * std::sin(angle), sizes);
    }
    for (int64_t i = 0; i < head && carried + i < places.rank; ++i) {
      element(qkv, value + i, (ahead ? places.after : places.before) + carried + i) = 1;
      if (!places.heads.causal) element(output, (ahead ? places.before : places.after) + carried + i, first + i) = 1;
    }
  }
}

/// Makes the MLM head pass on its input. GELU is nearly linear around a constant, which the head's LayerNorm subtracts
/// again.
void set_transform(const model_folder::ModelConfig& config, const Places& places, const Sizes& sizes,
                   model::Parameters& parameters) {
  const at::Tensor dense = parameters.at("head.dense.weight"), gain = parameters.at("head.norm.weight");
  set_dense(config, places.before, places.after, places.rank, dense);
  for (int64_t row = 0; row < config.hidden; ++row) add_constant(dense, row, places, kTransformBias, sizes);
  const auto gelu = [](double x) { return x * std::erfc(-x / std::sqrt(2.0)) / 2; };
  const auto moved = [&](double x) { return gelu(kTransformBias + kTransform * x) - gelu(kTransformBias); };
  double square = 0;  // of the transformed constants and filling, compared with which the factors are small
  for (const double size : {sizes.constant, sizes.filling})
    square += std::pow(moved(size), 2) + std::pow(moved(-size), 2);
  const double slope = (moved(0.01) - moved(-0.01)) / 0.02;
  gain.fill_(kTrust * sizes.divisor * std::sqrt(square / static_cast<double>(config.hidden)) / slope);
  gain.narrow(0, places.filling, 2).zero_();  // the norm of a token's factors must not make it more or less likely
}

}  // namespace

void start_modern(const model_folder::ModelConfig& config, const NgramModel& counts, uint64_t seed, int threads,
                  model::Parameters& parameters) {
  const Places places(config);
  for (int64_t l = 0; l < config.layers; ++l) {  // deeper layers initially pass on their input
    const std::string layer = concat("model.layers.", l, ".");
    parameters.at(layer + "mlp.Wo.weight").mul_(kRest);
    if (l > 0) parameters.at(layer + "attn.Wo.weight").mul_(kRest);
  }
  const CountFactors factors = factorise(counts, places.rank, seed, threads);
  const Sizes sizes = set_embeddings(counts, factors, places, parameters.at("model.embeddings.tok_embeddings.weight"));
  set_neighbour_heads(config, places, sizes, parameters);
  set_transform(config, places, sizes, parameters);
}

}  // namespace bigdna::mlm
