#include "dataset/leakage.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/rng.h"
#include "genome/alphabet.h"
#include "io/output.h"

namespace bigdna::dataset {

namespace {
constexpr int kLength = 21;
constexpr uint64_t kSketch = 200;  // approximate number of k-mers that are kept per row
constexpr size_t kMostRows = 500;  // of the training rows that have a k-mer, so many are compared
constexpr double kSimilar = 0.5;   // containment from which on a row is warned about

std::vector<uint64_t> sketch_of(std::string_view bases) {
  const uint64_t mask = (uint64_t{1} << (2 * kLength)) - 1;
  const uint64_t most = std::numeric_limits<uint64_t>::max() / std::max<uint64_t>(1, bases.size() / kSketch);
  uint64_t forward = 0, reverse = 0;
  int length = 0;
  std::vector<uint64_t> sketch;
  for (const char base : bases) {
    const int known = genome::base_code(base);
    if (known < 0) {
      length = 0;
      continue;
    }
    const auto code = static_cast<uint64_t>(known);
    forward = ((forward << 2) | code) & mask;
    reverse = (reverse >> 2) | ((3 - code) << (2 * (kLength - 1)));
    if (++length < kLength) continue;
    if (const uint64_t hash = mix({std::min(forward, reverse)}); hash <= most) sketch.push_back(hash);
  }
  std::sort(sketch.begin(), sketch.end());
  sketch.erase(std::unique(sketch.begin(), sketch.end()), sketch.end());
  return sketch;
}

/// The training rows of a contig by start: finds the one nearest to an interval, and its distance, which is below 0
/// where they overlap.
class Neighbours {
 public:
  void add(const genome::Region& region, uint32_t row) { rows_.push_back({region.start, region.end, row}); }
  void sort() {
    std::sort(rows_.begin(), rows_.end());
    int64_t end = 0;
    for (auto& row : rows_) furthest_.push_back(end = std::max(end, row.end));
  }
  std::optional<std::pair<uint32_t, int64_t>> nearest(const genome::Region& region) const {
    std::optional<std::pair<uint32_t, int64_t>> best;
    const auto take = [&](const Entry& row) {
      const int64_t distance = std::max(row.start - region.end, region.start - row.end);
      if (!best || distance < best->second) best = {row.row, distance};
    };
    auto at = std::lower_bound(rows_.begin(), rows_.end(), Entry{region.start, 0, 0}) - rows_.begin();
    if (at < static_cast<int64_t>(rows_.size())) take(rows_[static_cast<size_t>(at)]);
    while (--at >= 0) {  // backwards, until no row can end nearer
      if (best && region.start - furthest_[static_cast<size_t>(at)] >= best->second) break;
      take(rows_[static_cast<size_t>(at)]);
    }
    return best;
  }

 private:
  struct Entry {
    int64_t start, end;
    uint32_t row;
    auto operator<=>(const Entry&) const = default;
  };
  std::vector<Entry> rows_;
  std::vector<int64_t> furthest_;  // the greatest end up to each row
};
}  // namespace

void Leakage::add(const std::string& name, const genome::Region& region, Split split, std::string_view bases) {
  rows_.push_back({name, region, split, sketch_of(bases)});
}

void Leakage::write(const std::string& path, const std::vector<std::string>& identical) const {
  std::map<std::string, Neighbours> contigs;
  std::unordered_map<uint64_t, std::vector<uint32_t>> rows_of;
  for (uint32_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].split != Split::train) continue;
    if (rows_[i].region.contig != ".") contigs[rows_[i].region.contig].add(rows_[i].region, i);
    for (const uint64_t kmer : rows_[i].sketch)
      if (auto& rows = rows_of[kmer]; rows.size() < kMostRows) rows.push_back(i);
  }
  for (auto& [name, contig] : contigs) contig.sort();

  io::Output out(path);
  out << "#name\tchrom\tstart\tend\tsplit\tnearest\tdistance\tmost_similar\tcontainment"
      << (identical.empty() ? "\n" : "\tidentical\n");
  int64_t least = std::numeric_limits<int64_t>::max(), similar = 0, unknown = 0, tested = 0, overlapping = 0;
  std::vector<uint32_t> shared(rows_.size(), 0), touched;
  for (const auto& row : rows_) {
    if (row.split == Split::train) continue;
    out << concat(row.name, '\t', row.region.contig, '\t', row.region.start, '\t', row.region.end, '\t',
                  split_name(row.split));
    const auto contig = contigs.find(row.region.contig);
    const auto nearest = contig == contigs.end() ? std::nullopt : contig->second.nearest(row.region);
    out << (nearest ? concat('\t', rows_[nearest->first].name, '\t', std::max<int64_t>(0, nearest->second)) : "\t.\t.");
    for (const uint64_t kmer : row.sketch)
      if (const auto found = rows_of.find(kmer); found != rows_of.end())
        for (const uint32_t other : found->second)
          if (shared[other]++ == 0) touched.push_back(other);
    uint32_t best = 0, most = 0;
    for (const uint32_t other : touched) {
      if (shared[other] > most || (shared[other] == most && other < best)) {
        most = shared[other];
        best = other;
      }
      shared[other] = 0;
    }
    touched.clear();
    const double containment =
        row.sketch.empty() ? 0 : static_cast<double>(most) / static_cast<double>(row.sketch.size());
    char text[16] = ".";  // a row without a 21-mer
    if (!row.sketch.empty()) std::snprintf(text, sizeof text, "%.4f", containment);
    out << concat('\t', most ? rows_[best].name : ".", '\t', text);
    if (!identical.empty()) {
      const auto& twin = identical[static_cast<size_t>(&row - rows_.data())];
      out << concat('\t', twin.empty() ? "." : twin);
    }
    out << "\n";
    if (row.split != Split::test) continue;
    ++tested;
    similar += containment >= kSimilar;
    unknown += row.sketch.empty();
    if (!nearest) continue;
    least = std::min(least, nearest->second);
    overlapping += nearest->second < 0;
  }
  out.commit();
  if (!tested) return;
  if (least != std::numeric_limits<int64_t>::max())
    log::info("the nearest training interval to a test interval is ", std::max<int64_t>(0, least), " bp away");
  if (overlapping)
    log::warn(overlapping, " of ", counted(tested, "test example"), overlapping == 1 ? " overlaps" : " overlap",
              " the interval of a training example (", path, ": distance 0)");
  if (unknown)
    log::info(unknown, " of ", counted(tested, "test example"), unknown == 1 ? " has" : " have",
              " no 21-mer: whether training examples resemble ", unknown == 1 ? "it" : "them", " is not known");
  if (similar)
    log::warn(similar, " of ", counted(tested, "test example"),
              similar == 1 ? " shares half or more of its 21-mers" : " share half or more of their 21-mers",
              " with a training example elsewhere (", path, ")");
}

void log_leaks(Split split, int64_t count, int64_t with_other_labels, bool dropped) {
  const char* of = split == Split::test ? "training or validation" : "training";
  if (count == 0) return log::info("no ", split_name(split), " example has the sequence of an example in ", of);
  const std::string text = concat(count, " ", split_name(split), count == 1 ? " example has" : " examples have",
                                  " the sequence of an example in ", of, ", on either strand, ", with_other_labels,
                                  " of them with another label");
  if (dropped)
    log::info(text, ": dropped");
  else
    log::warn(text, " (--drop-leaks removes them)");
}

}  // namespace bigdna::dataset
