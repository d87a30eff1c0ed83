#include "mlm/counts_init.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "mlm/counts_starts.h"
#include "model_folder/architecture.h"

namespace bigdna::mlm {
namespace {

constexpr std::array kStarts{start_bigbird, start_modern};  // in the order of model_folder::Architecture

}  // namespace

NeighbourHeads::NeighbourHeads(const model_folder::ModelConfig& config)
    : each(std::max<int64_t>(1, config.heads / 4)), count(std::min(2 * each, config.heads)) {}

float& element(const at::Tensor& matrix, int64_t row, int64_t column) {
  return matrix.mutable_data_ptr<float>()[row * matrix.size(1) + column];
}

double mean_square(const at::Tensor& words, const metrics::NgramModel& counts, int64_t columns) {
  double square = 0;
  for (int64_t t = 0; t < words.size(0); ++t)
    square += counts.unigram(static_cast<int32_t>(t)) * words.select(0, t).square().sum().item<double>() /
              static_cast<double>(columns);
  return square;
}

model::Parameters initialise_from_counts(const model_folder::ModelConfig& config, const metrics::NgramModel& counts,
                                         uint64_t seed, int threads) {
  c10::NoGradGuard no_grad;
  model::Parameters parameters = model::initialise(config, seed);
  kStarts[static_cast<size_t>(config.architecture)](config, counts, seed, threads, parameters);
  auto* bias = parameters.at(std::string(model_folder::architecture(config).mlm_bias)).mutable_data_ptr<float>();
  for (int64_t t = 0; t < config.vocab_size; ++t)
    bias[t] = static_cast<float>(std::log(counts.unigram(static_cast<int32_t>(t))));
  return parameters;
}

}  // namespace bigdna::mlm
