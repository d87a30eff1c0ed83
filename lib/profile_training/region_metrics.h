/// Metrics of methods that predict profiles and counts of regions, under resampling of blocks of the genome.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evaluation/resamples.h"

namespace bigdna::profile_training {

/// Of each region; a vector is empty where the method has no such prediction.
struct RegionScores {
  std::string name;
  std::vector<double> distances = {};               // of profiles; NaN where a region has none
  std::vector<float> observed = {}, expected = {};  // numbers of reads
  bool compares_halves = false;                     // neither side is a prediction
};

/// The number of reads that a predicted logarithm of 1 + reads stands for.
float expected_count(double log_counts);

inline constexpr std::string_view kDistanceMedian = "jsd_median", kDistanceMean = "jsd_mean";

/// Of the regions at `places`: all metrics of each method, and the first one's differences to the others.
std::vector<evaluation::Line> lines_of(const std::vector<RegionScores>& methods, const std::vector<size_t>& places,
                                       const evaluation::Resamples& resamples);

/// The median of values that each count as often as their weight; the mean of the middle two where it lies between
/// them. `order`: their places from the smallest on. NaN if none counts.
double weighted_median(std::span<const double> values, std::span<const uint32_t> order,
                       std::span<const double> weights);

}  // namespace bigdna::profile_training
