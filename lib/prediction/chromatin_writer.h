/// Where the predictions of `bigdna chromatin` go: a table, an HDF5 file, bigWig tracks.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dataset/features.h"
#include "prediction/chromatin_regions.h"

namespace bigdna::prediction {

/// What is written of a model's features.
struct ChromatinColumns {
  std::vector<dataset::Feature> features;  // all of the model's
  std::vector<int64_t> chosen;
  std::vector<double> positive_weights{1};  // of training, one or each feature's
};

class ChromatinWriter {
 public:
  virtual ~ChromatinWriter() = default;
  /// `scores`: of all features.
  virtual void write(const ChromatinRegion& region, std::span<const float> scores) = 0;
  virtual void commit() = 0;
};

/// options.output: TSV, or HDF5 where the name ends in .h5 or .hdf5; options.bigwig: a folder of tracks.
std::vector<std::unique_ptr<ChromatinWriter>> chromatin_writers(const PredictChromatinOptions& options,
                                                                const ChromatinColumns& columns,
                                                                const ChromatinRegions& regions);
/// All files that will be written.
std::vector<std::string> chromatin_outputs(const PredictChromatinOptions& options,
                                           const ChromatinColumns& columns);
/// Bytes of them for each region, roughly.
double chromatin_bytes_a_region(const PredictChromatinOptions& options, const ChromatinColumns& columns);

}  // namespace bigdna::prediction
