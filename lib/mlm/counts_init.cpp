#include "mlm/counts_init.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/eye.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>

#include "base/error.h"
#include "base/log.h"
#include "base/table.h"
#include "mlm/counts_starts.h"
#include "model/parallel.h"
#include "model_folder/architecture.h"
#include "model_folder/attention.h"
#include "model_folder/stack.h"

namespace bigdna::mlm {
namespace {

struct Start {
  decltype(&start_bigbird) set;
  int64_t hidden;  // the smallest that it fits into
  int64_t head;    // what the size of a head is a multiple of
};
constexpr std::array kStarts{Start{start_bigbird, 8, 1}, Start{start_modern, 6, 2}};  // by model_folder::Architecture

const Start& start_of(const model_folder::ModelConfig& config) {
  return kStarts[static_cast<size_t>(config.architecture)];
}

std::vector<std::string> stacks_that_add() {
  return row_names(model_folder::stacks() | std::views::filter(&model_folder::StackRow::adds));
}

}  // namespace

NeighbourHeads::NeighbourHeads(const model_folder::ModelConfig& config)
    : each(std::max<int64_t>(1, config.heads / 4)),
      count(config.is_causal() ? each : std::min(2 * each, config.heads)),
      causal(config.is_causal()) {}

void set_dense(const model_folder::ModelConfig& config, int64_t before, int64_t after, int64_t rank,
               const at::Tensor& dense) {
  dense.copy_(at::eye(config.hidden) * kTransform);
  for (int64_t i = 0; config.is_causal() && i < rank; ++i) {
    element(dense, before + i, before + i) = element(dense, after + i, after + i) = 0;
    element(dense, after + i, before + i) = static_cast<float>(kTransform);
  }
}

float& element(const at::Tensor& matrix, int64_t row, int64_t column) {
  return matrix.mutable_data_ptr<float>()[row * matrix.size(1) + column];
}

double mean_square(const at::Tensor& words, const NgramModel& counts, int64_t columns) {
  double square = 0;
  for (int64_t t = 0; t < words.size(0); ++t)
    square += counts.unigram(static_cast<int32_t>(t)) * words.select(0, t).square().sum().item<double>() /
              static_cast<double>(columns);
  return square;
}

void check_counts_init(const model_folder::ModelConfig& config) {
  const Start& start = start_of(config);
  const int64_t step = start.head * config.heads,
                least = std::max((start.hidden + step - 1) / step * step, 2 * config.heads);
  if (config.hidden < least)
    throw UsageError(concat("--hidden ", config.hidden, ": --init counts needs ", least, " or more with ", config.heads,
                            config.heads > 1 ? " heads" : " head", " (--init random does not)"));
  if (!model_folder::stack(config).adds)
    throw UsageError(concat("--stack ", config.stack.name,
                            ": --init counts needs a stack that adds what each layer computes (",
                            listed(stacks_that_add()), "); use --init random"));
  if (model_folder::pattern_heads(config, 0) < NeighbourHeads(config).count)
    throw UsageError(concat("--attention ", config.attention.name, ": --init counts needs ",
                            NeighbourHeads(config).count,
                            " heads of layer 0 that attend to neighbours: use from=1, or --init random"));
}

model::Parameters initialise_from_counts(const model_folder::ModelConfig& config, const NgramModel& counts,
                                         uint64_t seed, int threads) {
  const model::OneThreadPerOperation same_sums;  // for any number of threads
  check_counts_init(config);
  const log::Progress stage("parameters from the counts");
  c10::NoGradGuard no_grad;
  model::Parameters parameters = model::initialise(config, seed);
  start_of(config).set(config, counts, seed, threads, parameters);
  auto* bias = parameters.at(std::string(model_folder::architecture(config).mlm_bias)).mutable_data_ptr<float>();
  for (int64_t t = 0; t < config.vocab_size; ++t)
    bias[t] = static_cast<float>(std::log(counts.unigram(static_cast<int32_t>(t))));
  return parameters;
}

}  // namespace bigdna::mlm
