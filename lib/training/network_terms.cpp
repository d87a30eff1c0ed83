/// What stands beside the networks of a run: terms that are fitted to the same rows, and the model that has them.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/log.h"
#include "evaluation/baseline_methods.h"
#include "model_folder/encoder_part.h"
#include "training/encoder_beside.h"
#include "training/kernel_beside.h"
#include "training/kmers_beside.h"
#include "training/network_training.h"

namespace bigdna::training {

using evaluation::Method;

void NetworkTraining::fit_terms() {
  KmersBeside* kmers = nullptr;
  if (with_kmers()) {
    const log::Progress stage("k-mers (--no-kmers leaves them out)");
    auto term = std::make_unique<KmersBeside>(kmer_rows(), strands_, options_.run.threads);
    kmers = term.get();
    beside_.push_back(std::move(term));
  }
  if (encoder_) {
    const log::Progress stage("the encoder and its head");
    auto encoder = std::make_unique<EncoderBeside>(*encoder_, data_, strands_, placement_, options_.run.threads);
    auto kernel = kmers ? std::make_unique<KernelBeside>(*kmers, *encoder, kmer_rows(), strands_, options_.seed,
                                                         options_.run.threads)
                        : nullptr;
    beside_.push_back(std::move(encoder));
    if (kernel) beside_.push_back(std::move(kernel));
  }
  if (beside_.empty()) return;
  const auto validation = evaluation::calibration_rows(data_);
  const auto logits = has_networks() ? logits_in_parts("validation examples", validation) : std::vector<float>();
  const auto* const network = has_networks() ? &logits : nullptr;
  if (beside_.size() == 1) return beside_.front()->add_to(network, validation);
  std::vector<TermBeside*> terms;
  for (const auto& term : beside_) terms.push_back(term.get());
  TermBeside::add_together(terms, network, validation);
}

std::vector<float> NetworkTraining::in_sum(std::vector<float> network, const Rows& rows) const {
  std::vector<float> weight(data_.features.size(), 1);
  for (const auto& term : beside_)
    if (const auto& place = term->place())
      for (size_t f = 0; f < weight.size(); ++f) weight[f] *= static_cast<float>(place->base_weight[f]);
  for (size_t i = 0; i < network.size(); ++i) network[i] *= weight[i % weight.size()];
  for (const auto& term : beside_) {
    if (!term->place()) continue;
    const auto values = term->in_sum(rows);
    for (size_t i = 0; i < network.size(); ++i) network[i] += values[i];
  }
  return network;
}

std::vector<float> NetworkTraining::model_logits(const Rows& rows) const {
  const auto outputs = static_cast<size_t>(data_.labels());
  return in_sum(has_networks() ? logits_of(model_of(config_, parameters_), rows, strands_)
                               : std::vector<float>(rows.size() * outputs),
                rows);
}

namespace {
/// Calibrated as the model is.
Method method_of(const std::string& name, const rows::TaskRows& data, const auto& logits) {
  return evaluation::calibrated(name, data, [logits](const std::vector<int64_t>& rows) {
    const auto values = logits(rows);
    return std::vector<double>(values.begin(), values.end());
  });
}
}  // namespace

Method NetworkTraining::alone(const TermBeside& term) const {
  return method_of(term.name(), data_, [&term](const Rows& rows) { return term.logits(rows); });
}

std::vector<Method> NetworkTraining::parts() {
  std::vector<Method> methods;
  if (has_networks() && std::ranges::any_of(beside_, [](const auto& term) { return term->place().has_value(); }))
    methods.push_back(method_of("network", data_, [this](const Rows& rows) {
      return logits_of(model_of(config_, parameters_), rows, strands_);
    }));
  for (const auto& term : beside_) methods.push_back(alone(*term));
  return methods;
}

void NetworkTraining::write_model(const Method& method, const std::vector<Method>& parts) {
  run_.begin_model(parameters_, options_.seed);
  auto& manifest = run_.manifest;
  describe(method, manifest.details);
  std::vector<std::string> not_kept;
  for (const auto& term : beside_) {
    term->write(run_.model(), manifest);
    if (!term->is_kept()) not_kept.push_back(term->name());
  }
  std::vector<Method> kept;
  for (const auto& part : parts)
    if (std::ranges::find(not_kept, part.name) == not_kept.end()) kept.push_back(part);
  if (auto baselines = evaluation::baselines_json(kept, data_); !baselines.empty())
    manifest.details["baselines"] = std::move(baselines);
  const bool has_encoder = !model_folder::encoder_files(manifest).empty();
  origin_.record(run_, data_.of(dataset::Split::train), has_encoder ? &*encoder_ : nullptr);
  model_folder::write_network_folder(run_.model(), config_, manifest);
}

}  // namespace bigdna::training
