/// A profile model (BPNet, ChromBPNet) into which a command looks, and the outputs of it that were asked for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attribution/bin_model.h"
#include "attribution/explain_sites.h"
#include "model_folder/profile_config.h"
#include "profile/network.h"
#include "session/placement.h"
#include "session/run_options.h"

namespace bigdna::attribution {

class ProfileModel {
 public:
  /// Opens it; no weights are read yet. `features`: of `counts_score`, the natural logarithm of the expected number of
  /// reads, and `profile_score`, the mean of the profile's logits weighted by the unchanged sequence's profile, minus
  /// their plain mean, which chrombpnet and bpnet-lite explain. `part`: unset for the model without its bias model.
  /// UsageError for a part that it does not have, and for bf16.
  ProfileModel(const std::string& path, const std::string& features, std::optional<profile::Part> part,
               const session::RunOptions& run);

  /// All that there are to be chosen from.
  static std::vector<dataset::Feature> features();
  const std::string& path() const { return folder_.path; }
  const ChosenOutputs& outputs() const { return outputs_; }
  /// The window around an interval's centre.
  SiteTiling tiling() const;
  profile::Part part() const { return part_; }
  /// Reads the weights, and says if they are used without the bias model that lies beside them.
  void load(const session::Placement& placement);
  /// After load().
  const profile::ProfileNetwork& network() const { return *network_; }
  /// How the chosen outputs are computed; `unchanged`: the prediction of the unchanged sequence.
  std::vector<profile::Score> scores(const profile::ProfilePrediction& unchanged) const;

 private:
  model_folder::ProfileFolder folder_;
  ChosenOutputs outputs_;
  profile::Part part_;
  bool part_given_;
  std::unique_ptr<profile::ProfileNetwork> network_;
};

}  // namespace bigdna::attribution
