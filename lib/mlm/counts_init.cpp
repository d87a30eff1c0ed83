#include "mlm/counts_init.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/linalg_qr.h>
#include <ATen/ops/linalg_svd.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "base/error.h"
#include "base/rng.h"
#include "model/parallel.h"

namespace bigdna::mlm {
namespace {

/// The table M of log-ratios, both sides weighted by sqrt(u), as products with it; it is never held.
///
/// M(a, b) = log((C(a, b) + s) / (E(a, b) + s)), where E = N u(a) u(b) is what chance would give and s = alpha sqrt(u(a) u(b))
/// pseudo-counts pull what is rarely seen towards it. log(1 + C / s) is 0 for most pairs; log(1 + E / s) depends on
/// u(a) u(b) alone, so it is computed once for each pair of classes of tokens that are about equally frequent.
class LogRatios {
 public:
  LogRatios(const metrics::NgramModel& counts, int threads) : counts_(counts), threads_(threads) {
    constexpr double kClassesPerFactorE = 8;
    std::map<int64_t, int64_t> classes;
    for (const double u : counts.unigrams()) {
      weights_.push_back(std::sqrt(u));
      const auto key = std::llround(kClassesPerFactorE * std::log(u));
      class_of_.push_back(classes.emplace(key, static_cast<int64_t>(classes.size())).first->second);
    }
    std::vector<double> middle(classes.size());
    for (const auto& [key, number] : classes) middle[static_cast<size_t>(number)] = std::exp(static_cast<double>(key) / kClassesPerFactorE);
    const auto size = static_cast<int64_t>(classes.size());
    expected_ = at::empty({size, size}, at::kDouble);
    for (int64_t a = 0; a < size; ++a)
      for (int64_t b = 0; b < size; ++b)
        expected_.mutable_data_ptr<double>()[a * size + b] =
            std::log1p(static_cast<double>(counts.tokens()) / pseudo_counts() * std::sqrt(middle[static_cast<size_t>(a)] * middle[static_cast<size_t>(b)]));
  }
  int64_t size() const { return static_cast<int64_t>(weights_.size()); }
  const std::vector<double>& weights() const { return weights_; }

  /// M x, or M^T x; x [vocabulary, k] of doubles.
  at::Tensor times(const at::Tensor& x, bool transposed) const {
    const int64_t k = x.size(1);
    at::Tensor by_class = at::zeros({expected_.size(0), k}, at::kDouble);
    auto* sums = by_class.mutable_data_ptr<double>();
    const auto* in = x.const_data_ptr<double>();
    for (int64_t t = 0; t < size(); ++t)
      for (int64_t i = 0; i < k; ++i) sums[class_of_[static_cast<size_t>(t)] * k + i] += weights_[static_cast<size_t>(t)] * in[t * k + i];
    const at::Tensor expected = at::matmul(expected_, by_class).contiguous();
    at::Tensor result = at::empty({size(), k}, at::kDouble);
    Work work{*this, in, expected.const_data_ptr<double>(), result.mutable_data_ptr<double>(), k, transposed};
    model::parallel(size(), threads_, [](void* context, int64_t row) { row_times(*static_cast<Work*>(context), row); }, &work);
    return result;
  }

 private:
  struct Work {
    const LogRatios& table;
    const double *x, *expected;
    double* result;
    int64_t k;
    bool transposed;
  };
  double pseudo_counts() const { return counts_.bigram_smoothing().one; }
  static void row_times(Work& work, int64_t row) {
    const LogRatios& table = work.table;
    const auto& pairs = table.counts_.pairs(1);
    const auto token = static_cast<int32_t>(row);
    const double weight = table.weights_[static_cast<size_t>(row)];
    double* out = work.result + row * work.k;
    const double* expected = work.expected + table.class_of_[static_cast<size_t>(row)] * work.k;
    for (int64_t i = 0; i < work.k; ++i) out[i] = -weight * expected[i];
    for (const auto& [other, count] : work.transposed ? pairs.before(token) : pairs.after(token)) {
      const double other_weight = table.weights_[other];
      const double value = std::log1p(count / (table.pseudo_counts() * weight * other_weight)) * weight * other_weight;
      const double* in = work.x + static_cast<int64_t>(other) * work.k;
      for (int64_t i = 0; i < work.k; ++i) out[i] += value * in[i];
    }
  }

  const metrics::NgramModel& counts_;
  int threads_;
  std::vector<double> weights_;
  std::vector<int64_t> class_of_;
  at::Tensor expected_;  // log(1 + E / s) by class
};

struct Factors {
  at::Tensor before, after;  // [vocabulary, rank] of floats: M(a, b) = before(a) . after(b)
};

/// Randomised subspace iteration (Halko, Martinsson and Tropp 2011).
Factors factorise(const LogRatios& table, int64_t rank, uint64_t seed) {
  constexpr int64_t kExtra = 8;
  constexpr int kIterations = 4;
  const int64_t columns = std::min(table.size(), rank + kExtra);
  at::Tensor start = at::empty({table.size(), columns}, at::kDouble);
  Rng rng(seed, 0x636f756e7473);  // "counts"
  for (int64_t i = 0; i < start.numel(); ++i) start.mutable_data_ptr<double>()[i] = rng.normal();
  const auto orthonormal = [](const at::Tensor& x) { return std::get<0>(at::linalg_qr(x)).contiguous(); };
  at::Tensor left = orthonormal(table.times(start, false));
  for (int i = 0; i < kIterations; ++i) left = orthonormal(table.times(orthonormal(table.times(left, true)), false));
  const auto [u, s, vt] = at::linalg_svd(table.times(left, true).t(), /*full_matrices=*/false);
  const at::Tensor root = s.narrow(0, 0, rank).sqrt();
  const at::Tensor weights = at::from_blob(const_cast<double*>(table.weights().data()), {table.size(), 1}, at::kDouble);
  return {(at::matmul(left, u.narrow(1, 0, rank)) * root / weights).to(at::kFloat),
          (vt.t().narrow(1, 0, rank) * root / weights).to(at::kFloat)};
}

/// Where things lie in the hidden width: factors of the token before, of the token after, free room, and positions at the end.
struct Places {
  int64_t rank, before, after, position, frequencies;
  int64_t heads_each, heads;  // heads that look ahead, and as many that look back; all of these, a single one looks ahead
  explicit Places(const model_folder::ModelConfig& config) {
    const int64_t width = std::min({config.hidden / 4, config.head_size(), int64_t{64}}) / 2 * 2;
    heads_each = std::max<int64_t>(1, config.heads / 4);
    heads = std::min(2 * heads_each, config.heads);
    rank = std::min({(config.hidden - width) / 2, config.head_size() * heads_each, config.vocab_size});
    before = 0, after = rank, position = config.hidden - width, frequencies = width / 2;
  }
};

// What the training starts from was chosen by bits per base at the start and after two million tokens of human chromosome 20, preset tiny.
constexpr double kFastestTurn = 2.6, kSlowestTurn = 0.1;  // radians per token of the sinusoids
constexpr double kPositionAmplitude = 3;                  // of the root mean square of the word factors
constexpr double kSharpness = 2;                          // of queries and keys
constexpr double kRest = 0.1;                             // what random weights beside these are scaled by
constexpr double kDecoderGain = 0.7;
constexpr double kTransform = 0.5, kTransformBias = 2;    // GELU is nearly linear there

std::vector<double> turns_of(const Places& places) {
  std::vector<double> turns;
  const auto last = static_cast<double>(std::max<int64_t>(1, places.frequencies - 1));
  for (int64_t f = 0; f < places.frequencies; ++f)
    turns.push_back(kFastestTurn * std::pow(kSlowestTurn / kFastestTurn, static_cast<double>(f) / last));
  return turns;
}

float& at(const at::Tensor& matrix, int64_t row, int64_t column) { return matrix.mutable_data_ptr<float>()[row * matrix.size(1) + column]; }

/// Word embeddings hold the factors, position embeddings the sinusoids.
void set_embeddings(model::Parameters& parameters, const Places& places, const metrics::NgramModel& counts, const Factors& factors) {
  const at::Tensor words = parameters.at("bert.embeddings.word_embeddings.weight");
  words.narrow(1, places.before, places.rank).add_(factors.before);
  words.narrow(1, places.after, places.rank).add_(factors.after);
  words.narrow(1, places.position, 2 * places.frequencies).zero_();
  double square = 0;  // of a factor of a token of the text, in the mean
  for (int64_t t = 0; t < words.size(0); ++t)
    square += counts.unigram(static_cast<int32_t>(t)) * words.select(0, t).square().sum().item<double>() / static_cast<double>(2 * places.rank);
  const double amplitude = kPositionAmplitude * std::sqrt(2 * square);
  const at::Tensor positions = parameters.at("bert.embeddings.position_embeddings.weight");
  positions.zero_();
  parameters.at("bert.embeddings.token_type_embeddings.weight").zero_();
  const auto turns = turns_of(places);
  for (int64_t i = 0; i < positions.size(0); ++i)
    for (int64_t f = 0; f < places.frequencies; ++f) {
      const double angle = turns[static_cast<size_t>(f)] * static_cast<double>(i);
      at(positions, i, places.position + 2 * f) = static_cast<float>(amplitude * std::cos(angle));
      at(positions, i, places.position + 2 * f + 1) = static_cast<float>(amplitude * std::sin(angle));
    }
}

/// Heads of layer 0 that look one token ahead or back, and carry its factors to where the decoder looks for them.
void set_neighbour_heads(model::Parameters& parameters, const Places& places, int64_t head) {
  const std::string layer = "bert.encoder.layer.0.attention.";
  const at::Tensor query = parameters.at(layer + "self.query.weight"), key = parameters.at(layer + "self.key.weight"),
                   value = parameters.at(layer + "self.value.weight"), output = parameters.at(layer + "output.dense.weight");
  const auto turns = turns_of(places);
  for (int64_t h = 0; h < places.heads; ++h) {
    const bool ahead = h < places.heads_each;
    const int64_t first = h * head, carried = (ahead ? h : h - places.heads_each) * head;  // rows of this head; the factors it carries
    for (const at::Tensor& matrix : {query, key, value}) matrix.narrow(0, first, head).mul_(kRest);
    output.narrow(1, first, head).mul_(kRest);
    for (int64_t f = 0; f < places.frequencies; ++f) {
      // The query is the own position turned by one token: it meets the key of that token best.
      const double turn = (ahead ? 1 : -1) * turns[static_cast<size_t>(f)];
      const auto cosine = static_cast<float>(kSharpness * std::cos(turn)), sine = static_cast<float>(kSharpness * std::sin(turn));
      const int64_t row = first + 2 * f, column = places.position + 2 * f;
      at(key, row, column) = at(key, row + 1, column + 1) = static_cast<float>(kSharpness);
      at(query, row, column) = at(query, row + 1, column + 1) = cosine;
      at(query, row, column + 1) = -sine;
      at(query, row + 1, column) = sine;
    }
    for (int64_t i = 0; i < head && carried + i < places.rank; ++i) {
      at(value, first + i, (ahead ? places.after : places.before) + carried + i) = 1;
      at(output, (ahead ? places.before : places.after) + carried + i, first + i) = 1;
    }
  }
}

}  // namespace

model::Parameters initialise_from_counts(const model_folder::ModelConfig& config, const metrics::NgramModel& counts, uint64_t seed, int threads) {
  const Places places(config);
  if (places.frequencies < 1 || places.rank < 1)
    throw UsageError("--init counts needs heads of at least two numbers and a hidden size of at least eight (--init random does not)");
  c10::NoGradGuard no_grad;
  model::Parameters parameters = model::initialise(config, seed);
  for (int64_t l = 0; l < config.layers; ++l) {  // deeper layers begin by passing on what they get
    const std::string layer = concat("bert.encoder.layer.", l, ".");
    parameters.at(layer + "output.dense.weight").mul_(kRest);
    if (l > 0) parameters.at(layer + "attention.output.dense.weight").mul_(kRest);
  }
  set_embeddings(parameters, places, counts, factorise(LogRatios(counts, threads), places.rank, seed));
  set_neighbour_heads(parameters, places, config.head_size());
  // The MLM head passes on what it gets: its LayerNorm takes off the bias that GELU is nearly linear around.
  parameters.at("cls.predictions.transform.dense.weight").copy_(at::eye(config.hidden) * kTransform);
  parameters.at("cls.predictions.transform.dense.bias").fill_(kTransformBias);
  parameters.at("cls.predictions.transform.LayerNorm.weight").fill_(kDecoderGain);
  auto* bias = parameters.at("cls.predictions.bias").mutable_data_ptr<float>();
  for (int64_t t = 0; t < config.vocab_size; ++t) bias[t] = static_cast<float>(std::log(counts.unigram(static_cast<int32_t>(t))));
  return parameters;
}

}  // namespace bigdna::mlm
