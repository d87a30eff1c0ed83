/// Predictions of a profile network for bins of a genome.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/parameters.h"
#include "model_folder/profile_config.h"
#include "profile/bin_grid.h"
#include "session/placement.h"
#include "session/run_options.h"

namespace bigdna::profile {

/// The codes of bases (model/profile.h): A, C, G, T are 0 to 3, anything else 4.
std::vector<int32_t> base_codes(std::string_view bases);

class Scorer {
 public:
  Scorer(const model_folder::ProfileConfig& config, const model::Parameters& parameters,
         const session::Placement& placement);

  const model_folder::ProfileConfig& config() const { return config_; }
  /// Bins that are computed together, and how many of them at either end see less of their surroundings than the
  /// network can read, and are left out where neighbours are computed too.
  int64_t bins() const { return bins_; }
  int64_t margin() const { return margin_; }

  /// Logits [bins, labels] of bases, whose length is whole bins, on the calling thread. Strands::average: the mean of
  /// the logits of both strands. Error if a logit is not a number. May be called by several threads.
  std::vector<float> logits(std::string_view bases, session::Strands strands) const;
  /// Logits [rows, labels] of rows of a dataset, on all threads.
  std::vector<float> logits(const classification::TaskRows& data, const BinGrid& grid, const std::vector<int64_t>& rows,
                            session::Strands strands) const;

 private:
  std::vector<float> one_strand(std::string_view bases) const;

  model_folder::ProfileConfig config_;
  session::Placement placement_;
  model::Parameters parameters_;
  int64_t bins_, margin_;
};

}  // namespace bigdna::profile
