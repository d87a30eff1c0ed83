#include "models/spread.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/error.h"
#include "model/network.h"

namespace bigdna::models {

namespace {
/// The model's sum with each of its networks as one alone.
std::vector<Sum> sums_of_networks(const Model& model, const session::Placement& placement) {
  const auto& folder = model.folder();
  std::vector<Sum> sums;
  if (!folder.network) return sums;
  const auto all = model::load_network_weights(*folder.network, folder.weights_path());
  auto config = *folder.network;
  config.networks = 1;
  const auto alone = model_folder::network_prefix(0);
  for (int64_t index = 0; index < folder.network->networks; ++index) {
    const auto prefix = model_folder::network_prefix(index);
    model::Parameters parameters;
    for (const auto& [name, values] : all)
      if (name.starts_with(prefix)) parameters.emplace(alone + name.substr(prefix.size()), values);
    sums.push_back(model.sum_with(std::make_shared<const Network>(config, parameters, placement, folder.path)));
  }
  return sums;
}

/// Log-odds, or numbers in their own units.
std::vector<double> in_units(const std::vector<float>& logits, const Link& link, size_t outputs) {
  std::vector<double> values(logits.begin(), logits.end());
  for (size_t row = 0; row < values.size(); row += outputs) link.to_own_units(std::span(values).subspan(row, outputs));
  return values;
}
}  // namespace

int64_t Spread::networks_of(const Ensemble& models) {
  int64_t count = 0;
  for (const auto& model : models.members())
    count += model.folder().network ? std::max<int64_t>(1, model.folder().network->networks) : 1;
  return count;
}

void Spread::require_several(const Ensemble& models) {
  if (networks_of(models) == 1)
    fail(models.path(),
         ": does not have several networks, so --spread has nothing to compare (--ensemble adds models)");
}

double Spread::deviation(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  for (const double value : values) squares += (value - sum / count) * (value - sum / count);
  return std::sqrt(squares / (count - 1));
}

std::vector<std::vector<float>> Spread::logits(const Ensemble& models, size_t member,
                                               std::span<Reading> readings) const {
  std::vector<std::vector<float>> all;
  for (const auto& sum : sums_[member]) all.push_back(sum.logits(readings));
  if (all.empty()) all.push_back(models.members()[member].logits(readings));
  return all;
}

Spread::Spread(const Ensemble& models) {
  for (const auto& model : models.members()) sums_.push_back(sums_of_networks(model, models.placement()));
}

std::vector<float> Spread::of(const Ensemble& models, Sequences sequences, session::Strands strands) const {
  const size_t outputs = models.features().size(), size = sequences.size() * outputs;
  std::vector<std::vector<double>> all;  // of each network
  for (size_t m = 0; m < sums_.size(); ++m) {
    const Model& model = models.members()[m];
    const auto add = [&](const std::vector<float>& logits) {
      all.push_back(in_units(logits, model.details().link, outputs));
    };
    if (sums_[m].empty()) add(model.logits(sequences, strands));
    for (const auto& sum : sums_[m]) add(sum.logits(sequences, strands));
  }
  std::vector<float> spread(size);
  std::vector<double> of_networks(all.size());
  for (size_t i = 0; i < size; ++i) {
    for (size_t network = 0; network < all.size(); ++network) of_networks[network] = all[network][i];
    spread[i] = static_cast<float>(deviation(of_networks));
  }
  return spread;
}

}  // namespace bigdna::models
