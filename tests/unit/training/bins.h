/// A small dataset of bins, without files.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "rows/task_rows.h"

namespace bigdna::training {

inline constexpr int64_t kTestBin = 10;

/// Rows of `places`: contig and bin, on grids that begin `phase` bp into a contig. Label f of row r is (r >> f) & 1;
/// all rows are of the training split; every contig has the same 2000 random bases.
inline rows::TaskRows bins_at(const std::vector<std::pair<std::string, int64_t>>& places, int64_t phase = 0,
                              int64_t labels = 2) {
  rows::TaskRows data;
  data.task = &dataset::task_of("chromatin");
  data.type = dataset::LabelType::multilabel;
  data.folder = "bins";
  for (int64_t label = 0; label < labels; ++label)
    data.features.push_back({"f" + std::to_string(label), "-", "-", "-"});
  for (const auto& [contig, bin] : places) {
    data.regions.push_back({contig, phase + bin * kTestBin, phase + (bin + 1) * kTestBin, '.'});
    data.splits.push_back(dataset::Split::train);
  }
  data.label = [](int64_t row, int64_t feature) { return static_cast<float>(row >> feature & 1); };
  Rng rng(3);
  std::string genome;
  for (int i = 0; i < 2000; ++i) genome += "ACGT"[rng.below(4)];
  data.sequence = [genome](const genome::Region& region) {
    std::string bases;
    for (int64_t at = region.start; at < region.end; ++at)
      bases += at < 0 || at >= static_cast<int64_t>(genome.size()) ? 'N' : genome[static_cast<size_t>(at)];
    return bases;
  };
  return data;
}

}  // namespace bigdna::training
