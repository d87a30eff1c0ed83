#include "motif/enriched_kmers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "motif/motif.h"

namespace bigdna::motif {
namespace {

std::string text_of(uint32_t kmer, int length) {
  std::string text(static_cast<size_t>(length), ' ');
  for (auto at = text.rbegin(); at != text.rend(); ++at, kmer >>= 2) *at = kLetters[kmer & 3];
  return text;
}

double log_choose(int64_t of, int64_t chosen) {
  return std::lgamma(static_cast<double>(of) + 1) - std::lgamma(static_cast<double>(chosen) + 1) -
         std::lgamma(static_cast<double>(of - chosen) + 1);
}

}  // namespace

double hypergeometric_tail(int64_t hits, int64_t drawn, int64_t marked, int64_t all) {
  const int64_t least = std::max<int64_t>(0, drawn - (all - marked));
  if (hits <= least) return 1;
  double sum = 0;
  for (int64_t i = hits; i <= std::min(drawn, marked); ++i)
    sum += std::exp(log_choose(marked, i) + log_choose(all - marked, drawn - i) - log_choose(all, drawn));
  return std::min(1., sum);
}

void EnrichedKmers::add(std::string_view bases, std::span<const float> contributions) {
  const uint32_t mask = (1U << (2 * length_)) - 1;
  uint32_t forward = 0, backward = 0;
  const size_t before = windows_.size();
  int known = 0;  // letters up to here since the last other one
  for (size_t i = 0; i < bases.size(); ++i) {
    const auto code = kLetters.find(bases[i]);
    if (code == std::string_view::npos) {
      known = 0;
      continue;
    }
    forward = ((forward << 2) | static_cast<uint32_t>(code)) & mask;
    backward = (backward >> 2) | (static_cast<uint32_t>(3 - code) << (2 * (length_ - 1)));
    if (++known < length_) continue;
    double sum = 0;
    for (const float value : contributions.subspan(i + 1 - static_cast<size_t>(length_), static_cast<size_t>(length_)))
      sum += value;
    windows_.push_back({static_cast<float>(sum), std::min(forward, backward), end_ + static_cast<int64_t>(i)});
  }
  end_ += std::ssize(bases) + length_;
  sequences_ += windows_.size() > before;
}

std::vector<EnrichedKmer> EnrichedKmers::result() const {
  if (!can_be_tested()) return {};
  std::vector<size_t> order(windows_.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto highest = static_cast<size_t>(std::ceil(kShare * static_cast<double>(order.size())));
  std::ranges::partial_sort(order, order.begin() + static_cast<int64_t>(highest), {},
                            [&](size_t i) { return std::tuple(-windows_[i].sum, windows_[i].position); });
  std::unordered_map<uint32_t, int64_t> windows;
  for (const auto& window : windows_) ++windows[window.kmer];
  std::set<int64_t> taken;
  std::map<uint32_t, EnrichedKmer> found;
  for (size_t i = 0; i < highest; ++i) {
    const auto& window = windows_[order[i]];
    const auto next = taken.lower_bound(window.position - length_ + 1);
    if (next != taken.end() && *next < window.position + length_) continue;
    taken.insert(window.position);
    auto& entry = found[window.kmer];
    ++entry.seqlets, entry.contribution += window.sum;
  }
  std::vector<EnrichedKmer> all;
  const int64_t seqlets = std::ssize(taken), number = std::ssize(windows_);
  for (auto& [kmer, entry] : found) {
    entry.kmer = text_of(kmer, length_);
    entry.windows = windows.at(kmer);
    entry.contribution /= static_cast<double>(entry.seqlets);
    entry.enrichment = static_cast<double>(entry.seqlets) / static_cast<double>(seqlets) /
                       (static_cast<double>(entry.windows) / static_cast<double>(number));
    entry.p = hypergeometric_tail(entry.seqlets, seqlets, entry.windows, number);
    entry.e = entry.p * static_cast<double>(windows.size());
    all.push_back(std::move(entry));
  }
  std::ranges::sort(all, {}, [](const EnrichedKmer& of) { return std::tuple(of.p, of.kmer); });
  return all;
}

}  // namespace bigdna::motif
