/// Resamples of whole blocks of the genome, which evaluations of counts, bins and profiles share, and what they give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/bootstrap.h"

namespace bigdna::evaluation {

/// The rows' blocks, and how often each resample draws each block.
struct Resamples {
  std::vector<int32_t> blocks = {};  // of each row, from 0 on in the order in which they first appear
  int32_t count = 0;
  std::vector<std::vector<double>> draws = {};  // none if there is only one block

  Resamples() = default;
  /// `named[i]` names row i's block. Blocks that follow each other count as one where there are more than `most`.
  Resamples(std::span<const int64_t> named, int resamples, uint64_t seed,
            int64_t most = std::numeric_limits<int32_t>::max());
};

/// A metric of a method, or its difference to another: of all rows, and of each resample.
struct Line {
  std::string method;
  std::string_view metric;
  double value = 0;
  std::vector<double> resampled = {};
  metrics::Estimate estimate() const { return metrics::interval_of(value, resampled); }
};
/// `value(weights)`: with each block counted weights[block] times; none: each once.
Line line_of(std::string method, std::string_view metric,
             const std::function<double(std::span<const double> weights)>& value, const Resamples& resamples);

template <class T>
std::vector<T> at_places(const std::vector<T>& values, const std::vector<size_t>& places) {
  std::vector<T> chosen;
  for (const size_t i : places) chosen.push_back(values[i]);
  return chosen;
}

}  // namespace bigdna::evaluation
