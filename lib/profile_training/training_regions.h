/// The regions that a profile model is trained on, and the examples of each epoch.
#pragma once

#include <cstdint>
#include <vector>

#include "corpus/example.h"
#include "profile_training/profile_data.h"
#include "training/train_options.h"

namespace bigdna::profile_training {

class TrainingRegions {
 public:
  /// Peaks or tiles, and background regions; or background regions alone, of which those with many reads are left out
  /// (ProfileTrainOptions). UsageError if there are none of those that the options ask for.
  TrainingRegions(const ProfileData& data, const training::ProfileTrainOptions& options);

  /// Regions of an epoch: all peaks or tiles, and a part of the background, another one each time.
  int64_t size() const { return std::ssize(chosen_) + background_drawn_; }
  /// Those of the first epoch.
  std::vector<int64_t> first_epoch(uint64_t seed) const;
  const std::vector<int64_t>& background() const { return background_; }
  /// All that an epoch may have.
  std::vector<int64_t> all() const;

  /// Example `index` of a run, a pure function: codes of the window's bases, and as targets its counts, [strands x
  /// width]. Peaks and tiles are moved at random; each is read on a random strand.
  corpus::Example example(uint64_t seed, int64_t index) const;

 private:
  struct Draw {
    int64_t row = 0, shift = 0;
    bool reversed = false;
  };
  Draw draw(uint64_t seed, int64_t index) const;

  const ProfileData& data_;
  int64_t jitter_;
  std::vector<int64_t> chosen_, background_;
  int64_t background_drawn_ = 0;
};

/// The weight of the count loss: ChromBPNet's rule, a tenth of the median number of reads, but at least 20. With less,
/// thin data hardly train the counts (docs/benchmarks/profiles-yeast-atac_xeon-amx_2026-11-29.md).
double count_weight_of(const ProfileData& data, const std::vector<int64_t>& rows);

}  // namespace bigdna::profile_training
