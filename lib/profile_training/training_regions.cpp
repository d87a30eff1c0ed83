#include "profile_training/training_regions.h"

#include <algorithm>
#include <cmath>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/rng.h"
#include "base/streams.h"
#include "genome/alphabet.h"
#include "metrics/classification.h"
#include "model/network.h"

namespace bigdna::profile_training {

using dataset::RegionKind;
using dataset::Split;

namespace {
constexpr double kLowPeaks = 0.01;  // the share of peaks that have fewer reads than the limit's peak

std::vector<double> totals_of(const ProfileData& data, const std::vector<int64_t>& rows) {
  std::vector<double> totals;
  for (const int64_t row : rows) totals.push_back(data.total(row));
  return totals;
}

/// Background with fewer reads than `factor` times what nearly all peaks have: what is a weak peak is no background.
std::vector<int64_t> below_peaks(const ProfileData& data, const std::vector<int64_t>& background, double factor) {
  auto peaks = totals_of(data, data.dataset.of(Split::train, RegionKind::peak));
  if (peaks.empty() || factor == 0) return background;
  std::ranges::sort(peaks);
  const double limit = factor * peaks[static_cast<size_t>(kLowPeaks * static_cast<double>(peaks.size() - 1))];
  std::vector<int64_t> kept;
  std::ranges::copy_if(background, std::back_inserter(kept), [&](int64_t row) { return data.total(row) < limit; });
  log::info(kept.size(), " of ", counted(background.size(), "background region"), kept.size() == 1 ? " has" : " have",
            " fewer than ", limit, " reads (--background-limit)");
  return kept;
}

}  // namespace

TrainingRegions::TrainingRegions(const ProfileData& data, const training::ProfileTrainOptions& options)
    : data_(data),
      jitter_(options.jitter.value_or(data.dataset.jitter)),
      background_(data.dataset.of(Split::train, RegionKind::background)) {
  const auto& folder = data.dataset.folder;
  if (jitter_ > data.dataset.jitter)
    throw UsageError(
        concat("--jitter ", jitter_, ": ", folder, " has counts for ", data.dataset.jitter, " bp around its regions"));
  if (options.background_alone) {
    if (background_.empty()) throw UsageError(concat("--regions background: ", folder, " has no background regions"));
    chosen_ = below_peaks(data, background_, options.background_limit);
    if (chosen_.empty()) fail(folder, ": no background region has so few reads (--background-limit)");
    background_ = chosen_;
    jitter_ = 0;
    return;
  }
  for (const auto kind : {RegionKind::peak, RegionKind::tile})
    std::ranges::copy(data.dataset.of(Split::train, kind), std::back_inserter(chosen_));
  if (chosen_.empty()) fail(folder, ": the train split has no peak or tile");
  background_drawn_ =
      std::min(std::ssize(background_), static_cast<int64_t>(options.background * static_cast<double>(chosen_.size())));
}

TrainingRegions::Draw TrainingRegions::draw(uint64_t seed, int64_t index) const {
  const auto epoch = static_cast<uint64_t>(index / size());
  const auto number = static_cast<int64_t>(Permutation(
      static_cast<uint64_t>(size()), mix({seed, kProfileOrder, epoch}))(static_cast<uint64_t>(index % size())));
  const uint64_t bits = mix({seed, kProfileShift, epoch, static_cast<uint64_t>(number)});
  const bool reversed = bits >> 40 & 1;
  if (const int64_t place = number - std::ssize(chosen_); place >= 0) {
    const Permutation background(background_.size(), mix({seed, kProfileBackground, epoch}));
    return {background_[background(static_cast<uint64_t>(place))], 0, reversed};
  }
  const auto shift = static_cast<int64_t>(bits % static_cast<uint64_t>(2 * jitter_ + 1)) - jitter_;
  return {chosen_[static_cast<size_t>(number)], shift, reversed};
}

std::vector<int64_t> TrainingRegions::first_epoch(uint64_t seed) const {
  std::vector<int64_t> rows;
  for (int64_t index = 0; index < size(); ++index) rows.push_back(draw(seed, index).row);
  return rows;
}

std::vector<int64_t> TrainingRegions::all() const {
  std::vector<int64_t> rows = chosen_;
  if (background_drawn_ > 0) rows.insert(rows.end(), background_.begin(), background_.end());
  std::ranges::sort(rows);
  return rows;
}

corpus::Example TrainingRegions::example(uint64_t seed, int64_t index) const {
  const auto [row, shift, reversed] = draw(seed, index);
  corpus::Example example;
  example.region = data_.dataset.window_of(row, shift);
  std::string bases = data_.rows.sequence(example.region);
  example.targets = data_.dataset.counts(row, shift);
  if (reversed) {
    genome::reverse_complement_in_place(bases);
    std::ranges::reverse(example.targets);  // the strands change places, and each is read from its other end
  }
  example.ids = model::base_codes(bases);
  example.index = index;
  return example;
}

double count_weight_of(const ProfileData& data, const std::vector<int64_t>& rows) {
  return std::max(20., metrics::median(totals_of(data, rows)) / 10);
}

}  // namespace bigdna::profile_training
