/// Initialisation of bigbird from counts: positions are sinusoids in a part of the width, which queries rotate by one
/// token.
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "mlm/counts_starts.h"

namespace bigdna::mlm {
namespace {

/// How the hidden width is divided: factors of the previous token, of the next token, unused columns, and positions at
/// the end.
struct Places {
  int64_t rank, before, after, position, frequencies;
  NeighbourHeads heads;
  explicit Places(const model_folder::ModelConfig& config) : heads(config) {
    const int64_t width = std::min({config.hidden / 4, config.head_size(), int64_t{64}}) / 2 * 2;
    rank = std::min({(config.hidden - width) / 2, config.head_size() * heads.each, config.vocab_size});
    before = 0, after = rank, position = config.hidden - width, frequencies = width / 2;
  }
};

// These constants were chosen by bits per base, initially and after two million tokens of human chromosome 20 with
// preset tiny.
constexpr double kFastestTurn = 2.6, kSlowestTurn = 0.1;  // radians per token of the sinusoids
constexpr double kPositionAmplitude = 3;                  // in units of the word factors' root mean square
constexpr double kSharpness = 2;                          // of queries and keys
constexpr double kDecoderGain = 0.7;

std::vector<double> turns_of(const Places& places) {
  std::vector<double> turns;
  const auto last = static_cast<double>(std::max<int64_t>(1, places.frequencies - 1));
  for (int64_t f = 0; f < places.frequencies; ++f)
    turns.push_back(kFastestTurn * std::pow(kSlowestTurn / kFastestTurn, static_cast<double>(f) / last));
  return turns;
}

/// Writes the factors to word embeddings and the sinusoids to position embeddings.
void set_embeddings(model::Parameters& parameters, const Places& places, const NgramModel& counts,
                    const CountFactors& factors) {
  const at::Tensor words = parameters.at("bert.embeddings.word_embeddings.weight");
  words.narrow(1, places.before, places.rank).add_(factors.before);
  words.narrow(1, places.after, places.rank).add_(factors.after);
  words.narrow(1, places.position, 2 * places.frequencies).zero_();
  const double amplitude = kPositionAmplitude * std::sqrt(2 * mean_square(words, counts, 2 * places.rank));
  const at::Tensor positions = parameters.at("bert.embeddings.position_embeddings.weight");
  positions.zero_();
  parameters.at("bert.embeddings.token_type_embeddings.weight").zero_();
  const auto turns = turns_of(places);
  for (int64_t i = 0; i < positions.size(0); ++i)
    for (int64_t f = 0; f < places.frequencies; ++f) {
      const double angle = turns[static_cast<size_t>(f)] * static_cast<double>(i);
      element(positions, i, places.position + 2 * f) = static_cast<float>(amplitude * std::cos(angle));
      element(positions, i, places.position + 2 * f + 1) = static_cast<float>(amplitude * std::sin(angle));
    }
}

/// Sets heads of layer 0 that attend to the next or previous token, and copy its factors to where the decoder reads
/// them.
void set_neighbour_heads(model::Parameters& parameters, const Places& places, int64_t head) {
  const std::string layer = "bert.encoder.layer.0.attention.";
  const at::Tensor query = parameters.at(layer + "self.query.weight"), key = parameters.at(layer + "self.key.weight"),
                   value = parameters.at(layer + "self.value.weight"),
                   output = parameters.at(layer + "output.dense.weight");
  const auto turns = turns_of(places);
  for (int64_t h = 0; h < places.heads.count; ++h) {
    const bool ahead = places.heads.ahead(h);
    // first row of this head; first of the factors that it copies
    const int64_t first = h * head, carried = places.heads.place(h) * head;
    for (const at::Tensor& matrix : {query, key, value}) matrix.narrow(0, first, head).mul_(kRest);
    output.narrow(1, first, head).mul_(kRest);
    for (int64_t f = 0; f < places.frequencies; ++f) {
      // The query is the token's own position rotated by one token, which has the largest product with that token's
      // key.
      const double turn = (ahead ? 1 : -1) * turns[static_cast<size_t>(f)];
      const auto cosine = static_cast<float>(kSharpness * std::cos(turn)),
                 sine = static_cast<float>(kSharpness * std::sin(turn));
      const int64_t row = first + 2 * f, column = places.position + 2 * f;
      element(key, row, column) = element(key, row + 1, column + 1) = static_cast<float>(kSharpness);
      element(query, row, column) = element(query, row + 1, column + 1) = cosine;
      element(query, row, column + 1) = -sine;
      element(query, row + 1, column) = sine;
    }
    for (int64_t i = 0; i < head && carried + i < places.rank; ++i) {
      element(value, first + i, (ahead ? places.after : places.before) + carried + i) = 1;
      if (!places.heads.causal) element(output, (ahead ? places.before : places.after) + carried + i, first + i) = 1;
    }
  }
}

}  // namespace

void start_bigbird(const model_folder::ModelConfig& config, const NgramModel& counts, uint64_t seed, int threads,
                   model::Parameters& parameters) {
  const Places places(config);
  for (int64_t l = 0; l < config.layers; ++l) {  // deeper layers initially pass on their input
    const std::string layer = concat("bert.encoder.layer.", l, ".");
    parameters.at(layer + "output.dense.weight").mul_(kRest);
    if (l > 0) parameters.at(layer + "attention.output.dense.weight").mul_(kRest);
  }
  set_embeddings(parameters, places, counts, factorise(counts, places.rank, seed, threads));
  set_neighbour_heads(parameters, places, config.head_size());
  // The MLM head passes on its input: its LayerNorm subtracts the bias around which GELU is nearly linear.
  set_dense(config, places.before, places.after, places.rank, parameters.at("cls.predictions.transform.dense.weight"));
  parameters.at("cls.predictions.transform.dense.bias").fill_(kTransformBias);
  parameters.at("cls.predictions.transform.LayerNorm.weight").fill_(kDecoderGain);
}

}  // namespace bigdna::mlm
