/// Writes the chromatin dataset folder, for bins from any source.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dataset/chromatin_dataset.h"

namespace bigdna::dataset {

struct LabelledBin {
  uint32_t contig = 0;  // index
  Split split = Split::train;
  int64_t start = 0;
};

/// What the bins' tracks hold, row-major: the counts, and those of one half of the reads (NaN: there are no reads).
struct TrackValues {
  std::span<const float> counts = {}, halves = {};
};

/// Writes all files of options.output, dataset.json last; `manifest` already has seed, inputs and what is specific to
/// the source. `labels` are the bins' label bits and `values` those of the features of kind counts, which come
/// last. Logs how many bins each split has.
void write_chromatin_folder(const ChromatinOptions& options, const std::vector<genome::Contig>& contigs,
                            const std::vector<Feature>& features, const std::vector<LabelledBin>& bins,
                            std::span<const uint8_t> labels, const TrackValues& values, io::Manifest manifest);

}  // namespace bigdna::dataset
