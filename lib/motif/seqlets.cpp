#include "motif/seqlets.h"

#include <algorithm>
#include <tuple>

#include "base/rng.h"
#include "motif/q_values.h"

namespace bigdna::motif {
namespace {

/// Windows without unknown bases and with a positive sum, none of which shares a base with one that has a higher sum.
std::vector<Seqlet> highest_windows(const std::vector<BaseContributions>& all, int64_t width) {
  std::vector<Seqlet> windows;
  for (size_t n = 0; n < all.size(); ++n) {
    double sum = 0;
    int64_t known = 0;
    for (int64_t end = 0; end < std::ssize(all[n].bases); ++end) {
      const auto at = static_cast<size_t>(end);
      known = code_of(all[n].bases[at]) < 4 ? known + 1 : 0;
      if (known < width) continue;
      sum = 0;
      for (size_t i = at + 1 - static_cast<size_t>(width); i <= at; ++i) sum += all[n].values[i];
      if (sum > 0) windows.push_back({n, end + 1 - width, width, sum});
    }
  }
  std::ranges::sort(windows, {}, [](const Seqlet& of) { return std::tuple(-of.sum, of.of, of.first); });
  Taken taken;
  std::erase_if(windows, [&](const Seqlet& of) {
    return !taken.take(all[of.of].sequence, all[of.of].start + of.first, width, 0);
  });
  return windows;
}

std::vector<double> sums_of(const std::vector<Seqlet>& windows) {
  std::vector<double> sums;
  for (const auto& of : windows) sums.push_back(of.sum);
  return sums;
}

/// The contributions of all known bases in random order.
std::vector<BaseContributions> in_random_order(std::vector<BaseContributions> all, uint64_t seed) {
  std::vector<float*> places;
  std::vector<float> values;
  for (auto& of : all)
    for (size_t i = 0; i < of.bases.size(); ++i)
      if (code_of(of.bases[i]) < 4) places.push_back(&of.values[i]), values.push_back(of.values[i]);
  Rng(seed).shuffle(values);
  for (size_t i = 0; i < places.size(); ++i) *places[i] = values[i];
  return all;
}

}  // namespace

std::vector<Seqlet> find_seqlets(const std::vector<BaseContributions>& all, const SeqletOptions& options) {
  auto windows = highest_windows(all, options.width);
  const auto q =
      q_values(sums_of(windows), sums_of(highest_windows(in_random_order(all, options.seed), options.width)), 1);
  size_t count = 0;
  while (count < windows.size() && q[count] <= options.largest_q) ++count;
  windows.resize(count);
  return windows;
}

}  // namespace bigdna::motif
