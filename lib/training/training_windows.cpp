#include "training/training_windows.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.h"
#include "base/rng.h"
#include "base/streams.h"
#include "genome/alphabet.h"
#include "model/network.h"
#include "training/loss.h"

namespace bigdna::training {
namespace {

/// Bases move against their labels by up to this part of a bin. Half a bin, at which a label may belong to the bin
/// beside it, costs .03 of the factors' mean AUROC; a tenth is as good.
constexpr int64_t kShiftPart = 5;

/// The labels of which a row must have one to count fully: those of group TF, or all but counts. The rule of `dataset
/// chromatin --keep auto`.
std::vector<int64_t> deciding_labels(const rows::TaskRows& data) {
  std::vector<int64_t> of_group, all;
  for (int64_t label = 0; label < data.labels(); ++label) {
    if (data.type_of(static_cast<size_t>(label)) == dataset::LabelType::counts) continue;
    all.push_back(label);
    if (data.features[static_cast<size_t>(label)].group == "TF") of_group.push_back(label);
  }
  return of_group.empty() ? all : of_group;
}

}  // namespace

TrainingWindows::TrainingWindows(const rows::TaskRows& data, const BinGrid& grid,
                                 const model_folder::NetworkConfig& config, double background_weight)
    : data_(data),
      grid_(grid),
      config_(config),
      bins_(config.window / config.bin()),
      weights_(static_cast<size_t>(data.size()), 0.f),
      means_(static_cast<size_t>(data.labels()), 0.) {
  const auto rows = data.of(dataset::Split::train);
  const auto deciding = deciding_labels(data);
  std::vector<double> totals(means_.size(), 0);  // of each label, the weights of the rows in which it is known
  double total = 0;
  for (const int64_t row : rows) {
    const bool labelled =
        deciding.empty() || std::ranges::any_of(deciding, [&](int64_t label) { return data.label(row, label) > 0; });
    const double weight = labelled ? 1 : background_weight;
    weights_[static_cast<size_t>(row)] = static_cast<float>(weight);
    total += weight;
    for (int64_t label = 0; label < data.labels(); ++label)
      if (const float value = data.label(row, label); !std::isnan(value)) {
        const double of_row = is_count(label) ? 1 : weight;
        means_[static_cast<size_t>(label)] += of_row * value;
        totals[static_cast<size_t>(label)] += of_row;
      }
  }
  if (!(total > 0)) fail(data.folder, ": no training example has a weight in the loss");
  for (int64_t label = 0; label < data.labels(); ++label) {
    auto& mean = means_[static_cast<size_t>(label)];
    if (is_count(label) && mean == 0)
      fail(data.folder, ": track ", dataset::label(data.features[static_cast<size_t>(label)]),
           " is 0 in all training bins, so there is nothing to learn");
    if (const double known = totals[static_cast<size_t>(label)]; known > 0) mean /= known;
  }
  windows_ = grid.tiling(rows, bins_);
}

bool TrainingWindows::is_count(int64_t label) const {
  return data_.type_of(static_cast<size_t>(label)) == dataset::LabelType::counts;
}

std::vector<float> TrainingWindows::label_weights(double balance) const {
  std::vector<float> weights(means_.size());
  for (const auto& [type, labels] : data_.by_type()) {
    const BinLoss& loss = bin_loss(type);
    double total = 0;
    for (const int64_t label : labels) {
      auto& weight = weights[static_cast<size_t>(label)];
      weight = static_cast<float>(loss.weight(means_[static_cast<size_t>(label)], balance));
      total += weight;
    }
    if (!loss.relative) continue;
    for (const int64_t label : labels)
      weights[static_cast<size_t>(label)] *= static_cast<float>(static_cast<double>(labels.size()) / total);
  }
  return weights;
}

corpus::Example TrainingWindows::example(uint64_t seed, int64_t index) const {
  const auto epoch = static_cast<uint64_t>(index / size()), place = static_cast<uint64_t>(index % size());
  const int64_t bin = grid_.bin();
  const auto number = Permutation(windows_.size(), mix({seed, kNetworkOrder, epoch}))(place);
  Window window = windows_[number];
  window.first_bin += static_cast<int64_t>(mix({seed, kWindowStart, epoch}) % static_cast<uint64_t>(bins_));
  const uint64_t draw = mix({seed, kNetworkStrand, epoch, number});
  const int64_t most = bin / kShiftPart;
  const auto shift = static_cast<int64_t>(draw % static_cast<uint64_t>(2 * most + 1)) - most;
  const bool reversed = draw >> 40 & 1;

  corpus::Example example;
  example.region = grid_.region(window, bins_, shift);
  std::string bases = data_.sequence(example.region);
  if (reversed) genome::reverse_complement_in_place(bases);
  example.ids = model::base_codes(bases);
  const int64_t labels = data_.labels();
  example.targets.assign(static_cast<size_t>(bins_ * labels), 0.f);
  for (int64_t label = 0; label < labels; ++label)
    for (int64_t b = 0; b < bins_ && is_count(label); ++b)
      example.targets[static_cast<size_t>(b * labels + label)] = NAN;
  example.weights.assign(static_cast<size_t>(bins_), 0.f);
  for (int64_t b = 0; b < bins_; ++b) {
    const int64_t row = grid_.row(window.contig, window.first_bin + b);
    if (row < 0 || data_.splits[static_cast<size_t>(row)] != dataset::Split::train) continue;
    const int64_t at = reversed ? bins_ - 1 - b : b;
    example.weights[static_cast<size_t>(at)] = weights_[static_cast<size_t>(row)];
    for (int64_t label = 0; label < labels; ++label) {
      const int64_t there = reversed ? config_.other_strand(label) : label;
      example.targets[static_cast<size_t>(at * labels + there)] = data_.label(row, label);
    }
  }
  example.index = index;
  return example;
}

}  // namespace bigdna::training
