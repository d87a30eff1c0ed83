#include "profile/distance.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace bigdna::profile {

double profile_distance(std::span<const float> one, std::span<const float> other) {
  const auto total = [](std::span<const float> values) {
    double sum = 0;
    for (const float value : values) sum += value;
    return sum;
  };
  const double of_one = total(one), of_other = total(other);
  double divergence = 0;
  for (size_t i = 0; i < one.size(); ++i) {
    const double p = one[i] / of_one, q = other[i] / of_other, middle = (p + q) / 2;
    if (p > 0) divergence += p * std::log2(p / middle) / 2;
    if (q > 0) divergence += q * std::log2(q / middle) / 2;
  }
  return std::sqrt(std::max(0.0, divergence));
}

void align_profiles(std::vector<float>& of_ref, std::vector<float>& of_alt, int64_t strands, int64_t at, int64_t ref,
                    int64_t alt) {
  if (ref == alt) return;
  const int64_t surplus = std::abs(ref - alt), after = at + std::min(ref, alt);
  const auto without = [&](std::vector<float>& values, bool in_the_middle) {
    const int64_t length = std::ssize(values) / strands;
    for (int64_t strand = strands - 1; strand >= 0; --strand) {
      const auto first = values.begin() + strand * length + (in_the_middle ? after : length - surplus);
      values.erase(first, first + surplus);
    }
  };
  without(of_ref, ref > alt);
  without(of_alt, alt > ref);
}

}  // namespace bigdna::profile
