#include "coverage/quality.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/error.h"
#include "base/log.h"

namespace bigdna::coverage {

namespace {
constexpr size_t kLongest = 10'000;
constexpr int64_t kNear = 50, kFarFrom = 1900, kFarTo = 2000;
constexpr double kMuchMitochondrial = 0.2;
constexpr double kLargeShare = 0.05, kTimesItsSize = 20;

/// The number of sites in [first, last].
int64_t between(const std::vector<int64_t>& sites, int64_t first, int64_t last) {
  return std::upper_bound(sites.begin(), sites.end(), last) - std::lower_bound(sites.begin(), sites.end(), first);
}

/// How many of the positions [first, last] lie on a contig.
int64_t bases_within(int64_t first, int64_t last, int64_t length) {
  return std::max<int64_t>(0, std::min(last, length - 1) - std::max<int64_t>(first, 0) + 1);
}

std::optional<double> share(int64_t part, int64_t all) {
  return all > 0 ? std::optional(static_cast<double>(part) / static_cast<double>(all)) : std::nullopt;
}
}  // namespace

Quality::Quality(const Contigs& contigs, const genome::IntervalSet& peaks, const SitesByContig& sites, bool lengths)
    : contigs_(contigs), sites_(sites), needs_lengths_(lengths), has_peaks_(!peaks.empty()), lengths_(kLongest + 1) {
  for (const auto& contig : contigs.all()) {
    if (has_peaks_) peaks_.push_back(&peaks.intervals(contig.name));
    windows_.emplace_back();
  }
  for (size_t contig = 0; contig < sites.size(); ++contig) {
    const int64_t length = contigs.all()[contig].length;
    for (const int64_t site : sites[contig]) {
      has_sites_ = true;
      near_bases_ += bases_within(site - kNear, site + kNear, length);
      far_bases_ +=
          bases_within(site - kFarTo, site - kFarFrom, length) + bases_within(site + kFarFrom, site + kFarTo, length);
    }
  }
}

void Quality::add_record(const Read& read) {
  ++records_;
  const bool mapped = read.state == Read::State::mapped || read.state == Read::State::other_contig;
  mapped_ += mapped;
  duplicates_ += mapped && read.duplicate;
  mitochondrial_ += mapped && read.mitochondrial;
}

void Quality::add_counted(uint32_t contig, int64_t start, int64_t end, int64_t length, int64_t weight) {
  counted_ += weight;
  if (length > 0) {
    lengths_[std::min<size_t>(static_cast<size_t>(length), kLongest)] += weight;
    fragments_ += weight;
  }
  auto& windows = windows_[contig];
  if (windows.empty()) windows.resize(static_cast<size_t>(contigs_[contig].length / kWindow + 1));
  windows[static_cast<size_t>(start / kWindow)] += weight;
  if (!has_peaks_) return;
  const auto& peaks = *peaks_[contig];
  const auto next = std::ranges::upper_bound(peaks, start, {}, &genome::IntervalSet::Interval::second);
  in_peaks_ += next != peaks.end() && next->first < end ? weight : 0;
}

void Quality::add_cut(uint32_t contig, int64_t position, int64_t weight) {
  if (!has_sites_) return;
  const auto& sites = sites_[contig];
  near_ += weight * between(sites, position - kNear, position + kNear);
  far_ += weight * (between(sites, position - kFarTo, position - kFarFrom) +
                    between(sites, position + kFarFrom, position + kFarTo));
}

std::optional<double> Quality::mitochondrial() const { return share(mitochondrial_, mapped_); }
std::optional<double> Quality::in_peaks() const { return has_peaks_ ? share(in_peaks_, counted_) : std::nullopt; }

std::optional<double> Quality::enrichment() const {
  if (far_ == 0 || near_bases_ == 0) return std::nullopt;
  const double near = static_cast<double>(near_) / static_cast<double>(near_bases_);
  return near / (static_cast<double>(far_) / static_cast<double>(far_bases_));
}

std::optional<int64_t> Quality::fragment_length(double share) const {
  if (fragments_ == 0) return std::nullopt;
  const auto wanted = std::max<int64_t>(1, std::llround(std::ceil(share * static_cast<double>(fragments_))));
  int64_t passed = 0;
  size_t length = 0;
  while ((passed += lengths_[length]) < wanted) ++length;
  return static_cast<int64_t>(length);
}

std::optional<Quality::Heap> Quality::heaped() const {
  int64_t genome = 0, most = 0, total = 0;
  size_t contig = 0, first = 0;
  for (size_t c = 0; c < windows_.size(); ++c) {
    if (is_mitochondrial(contigs_.all()[c].name)) continue;  // has a column of its own
    genome += contigs_.all()[c].length;
    for (size_t w = 0; w < windows_[c].size(); ++w) {
      total += windows_[c][w];
      if (windows_[c][w] > most) most = windows_[c][w], contig = c, first = w;
    }
  }
  if (most == 0) return std::nullopt;
  const auto& windows = windows_[contig];
  size_t last = first;  // neighbours that hold nearly as much belong to the stretch
  while (first > 0 && windows[first - 1] * 4 > most) --first;
  while (last + 1 < windows.size() && windows[last + 1] * 4 > most) ++last;
  int64_t held = 0;
  for (size_t w = first; w <= last; ++w) held += windows[w];
  const auto& [name, length] = contigs_.all()[contig];
  const int64_t start = static_cast<int64_t>(first) * kWindow;
  const int64_t end = std::min(length, static_cast<int64_t>(last + 1) * kWindow);
  const double part = static_cast<double>(held) / static_cast<double>(total);
  if (part < kLargeShare || part < kTimesItsSize * static_cast<double>(end - start) / static_cast<double>(genome))
    return std::nullopt;
  return Heap{{name, start, end}, part};
}

void Quality::log_hints(const std::string& path, const genome::IntervalSet& excluded) const {
  const auto percent = [](double share) {
    char text[16];
    std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
    return std::string(text);
  };
  const double mitochondria = mitochondrial().value_or(0);
  if (mitochondria > kMuchMitochondrial && mitochondria < 1)
    log::info(path, ": ", percent(mitochondria), " of the mapped reads are mitochondrial");
  if (const auto heap = heaped(); heap && !excluded.overlaps(heap->region))
    log::warn(path, ": ", percent(heap->share), " of the counted reads or fragments are in ",
              genome::to_string(heap->region),
              ": repeats such as ribosomal DNA? dataset chromatin --exclude leaves regions out");
}

}  // namespace bigdna::coverage
