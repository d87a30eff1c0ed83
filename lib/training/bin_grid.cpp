#include "training/bin_grid.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"

namespace bigdna::training {

BinGrid::BinGrid(const rows::TaskRows& data, int64_t bin) : bin_(bin) {
  std::map<std::string, size_t> numbers;
  std::vector<std::pair<int64_t, int64_t>> ranges;  // of each contig's bins, [first, last]
  for (int64_t row = 0; row < data.size(); ++row) {
    const auto& region = data.regions[static_cast<size_t>(row)];
    const auto [found, added] = numbers.emplace(region.contig, contigs_.size());
    if (added) {
      contigs_.push_back({region.contig, region.start % bin, 0, {}});
      ranges.emplace_back(region.start / bin, region.start / bin);
    }
    const int64_t phase = contigs_[found->second].phase;
    if (region.end - region.start != bin)
      fail(data.folder, ": row ", row + 1, " has ", region.end - region.start,
           " bp; a network on bases predicts bins "
           "of ",
           bin);
    if (region.start % bin != phase)
      fail(data.folder, ": the bins of ", region.contig, " do not lie on one grid (", phase, " and ",
           region.start % bin, " bp past multiples of ", bin, ")");
    const int64_t place = (region.start - phase) / bin;
    places_.push_back({found->second, place});
    auto& [first, last] = ranges[found->second];
    first = std::min(first, place);
    last = std::max(last, place);
  }
  for (size_t c = 0; c < contigs_.size(); ++c) {
    contigs_[c].first = ranges[c].first;
    contigs_[c].rows.assign(static_cast<size_t>(ranges[c].second - ranges[c].first + 1), -1);
  }
  for (int64_t row = 0; row < data.size(); ++row) {
    const auto& [contig, place] = places_[static_cast<size_t>(row)];
    auto& slot = contigs_[contig].rows[static_cast<size_t>(place - contigs_[contig].first)];
    if (slot >= 0) fail(data.folder, ": rows ", slot + 1, " and ", row + 1, " are the same bin");
    slot = row;
  }
}

int64_t BinGrid::row(size_t contig, int64_t bin) const {
  const auto& [name, phase, first, rows] = contigs_[contig];
  const int64_t at = bin - first;
  return at < 0 || at >= static_cast<int64_t>(rows.size()) ? -1 : rows[static_cast<size_t>(at)];
}

genome::Region BinGrid::region(const Window& window, int64_t bins, int64_t shift) const {
  const auto& contig = contigs_[window.contig];
  const int64_t start = contig.phase + window.first_bin * bin_ + shift;
  return {contig.name, start, start + bins * bin_, '+'};
}

std::vector<Window> BinGrid::covering(std::vector<int64_t> rows, int64_t bins, int64_t margin) const {
  const int64_t inner = bins - 2 * margin;
  if (inner < 1) fail("a window of ", bins, " bins is too short for margins of ", margin);
  std::vector<std::pair<size_t, int64_t>> places;
  for (const int64_t row : rows) places.emplace_back(place(row).contig, place(row).first_bin);
  std::ranges::sort(places);
  std::vector<Window> windows;
  for (const auto& [contig, bin] : places) {
    const bool held =
        !windows.empty() && windows.back().contig == contig && bin < windows.back().first_bin + margin + inner;
    if (!held) windows.push_back({contig, bin - margin});
  }
  return windows;
}

std::vector<Window> BinGrid::tiling(const std::vector<int64_t>& rows, int64_t bins) const {
  std::set<std::pair<size_t, int64_t>> tiles;  // contig, and the number of the tile
  for (const int64_t row : rows) {
    const auto [contig, bin] = place(row);
    const int64_t tile = (bin - contigs_[contig].first) / bins;
    tiles.emplace(contig, tile);
    tiles.emplace(contig, tile - 1);  // holds the row where tiles are moved by more than the row's place in its tile
  }
  std::vector<Window> windows;
  for (const auto& [contig, tile] : tiles) windows.push_back({contig, contigs_[contig].first + tile * bins});
  return windows;
}

}  // namespace bigdna::training
