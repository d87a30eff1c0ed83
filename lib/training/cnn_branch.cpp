#include "training/cnn_branch.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/rng.h"
#include "base/streams.h"
#include "model/cnn.h"
#include "linear/calibration_fit.h"
#include "model_folder/architecture.h"
#include "models/encoder_term.h"

namespace bigdna::training {

namespace {
constexpr int64_t kMeasuredRows = 1000, kTogether = 32;
constexpr double kNoise = 0.1, kStep = 0.1, kLeastDeviation = 1e-3;

/// [4, width]
void write_filter(float* to, std::string_view bases, Rng& rng) {
  constexpr auto width = static_cast<size_t>(model_folder::kFilterWidth);
  constexpr std::string_view kLetters = "ACGT";
  std::vector<double> values(4 * width, 0);
  double norm = 0;
  for (size_t i = 0; i < width; ++i) {
    const double fading =
        0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i + 1) / static_cast<double>(width + 1));
    double mean = 0;
    for (size_t letter = 0; letter < 4; ++letter) {
      double& value = values[letter * width + i];
      value = (i < bases.size() && bases[i] == kLetters[letter] ? fading : 0) + kNoise * rng.normal();
      mean += value / 4;
    }
    for (size_t letter = 0; letter < 4; ++letter) {
      double& value = values[letter * width + i];
      value -= mean;
      norm += value * value;
    }
  }
  for (size_t i = 0; i < values.size(); ++i) to[i] = static_cast<float>(values[i] / std::sqrt(norm));
}
}  // namespace

void initialise_cnn(model::Parameters& parameters, const model_folder::ModelConfig& config,
                    const session::SequenceReader& reader, const rows::TaskRows& data, uint64_t seed) {
  const c10::NoGradGuard no_grad;
  const auto at = [&](const char* name) -> at::Tensor& {
    return parameters.at(std::string(model_folder::kCnn) + name);
  };
  const auto rows = data.of(dataset::Split::train);
  at::Tensor filters = at::empty({config.cnn_filters, 4, model_folder::kFilterWidth}, at::kFloat);
  for (int64_t k = 0; k < config.cnn_filters; ++k) {
    Rng rng(mix({seed, kFirstFilters}), static_cast<uint64_t>(k));
    const auto example = reader.example(data.bases(rows[rng.below(rows.size())]));
    const size_t room = example.bases.size() - std::min<size_t>(example.bases.size(), model_folder::kFilterWidth);
    write_filter(filters.mutable_data_ptr<float>() + k * 4 * model_folder::kFilterWidth,
                 std::string_view(example.bases).substr(rng.below(room + 1)), rng);
  }
  at("filter.weight") = filters;
  for (const char* name : {"filter.bias", "output.weight"}) at(name) = at::zeros_like(at(name));

  const auto measured = data.of(dataset::Split::train, kMeasuredRows);
  std::vector<at::Tensor> features;
  for (size_t begin = 0; begin < measured.size(); begin += kTogether) {
    std::vector<corpus::Example> examples;
    for (size_t i = begin; i < std::min(measured.size(), begin + kTogether); ++i)
      examples.push_back(reader.example(data.bases(measured[i])));
    features.push_back(model::cnn_features(config, parameters,
                                           model::cnn_window(model::make_batch(examples, 1, config.pad_id, at::kCPU))));
  }
  const at::Tensor all = at::cat(features).to(at::kDouble), mean = all.mean(0);
  at("mean") = mean.to(at::kFloat);
  at("scale") = (kStep / (all - mean).square().mean(0).sqrt().clamp_min(kLeastDeviation)).to(at::kFloat);
}

void move_weight_to_head(model::Parameters& parameters, const model_folder::ModelConfig& config,
                         models::KmerModel& kmers) {
  const std::string head(model_folder::architecture(config).task_output);
  const at::Tensor weight = at::tensor(kmers.base_weight);
  parameters.at(head + ".weight").mul_(weight.unsqueeze(1));
  parameters.at(head + ".bias").mul_(weight);
  std::fill(kmers.base_weight.begin(), kmers.base_weight.end(), 1.f);
}

CnnWeights choose_cnn_weights(const ModelParts& model, const model::Parameters& parameters,
                              const std::vector<int64_t>& rows) {
  const c10::NoGradGuard no_grad;
  const auto& [config, reader, placement, data, weights, kmers, states] = model;
  const auto sequences = data.bases_of(rows);
  const auto matrix = [&](const std::vector<float>& values) {
    return at::tensor(values, at::kFloat).view({static_cast<int64_t>(rows.size()), data.labels()});
  };
  auto without = config;
  without.cnn_filters = 0;
  const auto pooled = states ? states->of(rows) : std::vector<float>();
  // predictions subtract the logarithm of the weight, which is neither scaled nor a shift
  const at::Tensor of_weight = at::tensor(weights).log().to(at::kFloat);
  const session::Session of_tokens(without, parameters, placement);
  const at::Tensor rest = matrix(models::encoder_sum(reader, of_tokens, kmers)
                                     .all_logits(sequences, session::Strands::forward, placement.streams(), pooled)) -
                          of_weight;
  const at::Tensor part =
      matrix(models::all_cnn_logits(reader, session::Session(config, parameters, placement), sequences));
  CnnWeights chosen{linear::held_out_weights(rest, part, data.label_matrix(rows), data.groups(), data.type), {}};
  const at::Tensor logits = (rest + at::tensor(chosen.of_feature, at::kFloat) * part + of_weight).contiguous();
  chosen.logits.assign(logits.const_data_ptr<float>(), logits.const_data_ptr<float>() + logits.numel());
  return chosen;
}

void apply_cnn_weights(const std::vector<float>& of_feature, model::Parameters& parameters,
                       const rows::TaskRows& data) {
  const c10::NoGradGuard no_grad;
  auto& weight = parameters.at(std::string(model_folder::kCnn) + "output.weight");
  weight = weight * at::tensor(of_feature, at::kFloat).to(weight.device()).unsqueeze(1);
  const auto groups = data.groups();
  std::map<std::string, double> weights;
  for (size_t f = 0; f < groups.size(); ++f) weights[groups[f]] = of_feature[f];
  log::info("weight of the CNN branch, chosen on validation examples: ", linear::text_by_group(weights));
}

}  // namespace bigdna::training
