#include "evaluation/resamples.h"

#include <map>
#include <utility>

#include "base/rng.h"

namespace bigdna::evaluation {

Resamples::Resamples(std::span<const int64_t> named, int resamples, uint64_t seed, int64_t most) {
  std::map<int64_t, int64_t> numbers;
  std::vector<int64_t> of_rows;
  for (const int64_t block : named)
    of_rows.push_back(numbers.emplace(block, static_cast<int64_t>(numbers.size())).first->second);
  const auto all = std::ssize(numbers);
  const int64_t together = (all + most - 1) / most;
  for (const int64_t block : of_rows) blocks.push_back(static_cast<int32_t>(block / together));
  count = static_cast<int32_t>(all == 0 ? 0 : (all + together - 1) / together);
  for (int i = 0; i < resamples && count > 1; ++i) {
    Rng rng(seed, static_cast<uint64_t>(i));
    std::vector<double> weights(static_cast<size_t>(count));
    for (size_t block = 0; block < weights.size(); ++block) ++weights[rng.below(weights.size())];
    draws.push_back(std::move(weights));
  }
}

Line line_of(std::string method, std::string_view metric,
             const std::function<double(std::span<const double> weights)>& value, const Resamples& resamples) {
  Line line{std::move(method), metric, value({})};
  for (const auto& draw : resamples.draws) line.resampled.push_back(value(draw));
  return line;
}

}  // namespace bigdna::evaluation
