#include "attribution/profile_model.h"

#include "base/log.h"

namespace bigdna::attribution {

ProfileModel::ProfileModel(const std::string& path, const std::string& features, std::optional<profile::Part> part,
                           const session::RunOptions& run)
    : folder_(model_folder::ProfileFolder::open(path)),
      outputs_(ProfileModel::features(), features),
      part_(part.value_or(profile::Part::model)),
      part_given_(part.has_value()) {
  profile::refuse_bf16(run, path);
  if (part) profile::check_part(*part, folder_);
}

std::vector<dataset::Feature> ProfileModel::features() {
  return {{"counts_score", "-", "-", "-"}, {"profile_score", "-", "-", "-"}};
}

SiteTiling ProfileModel::tiling() const {
  const int64_t before = folder_.config.window / 2;
  return {before, folder_.config.window - before};
}

void ProfileModel::load(const session::Placement& placement) {
  if (!part_given_ && folder_.config.has_bias())
    log::info(folder_.path, ": explained without its bias model (--part whole adds it)");
  network_ = std::make_unique<profile::ProfileNetwork>(folder_, placement);
}

std::vector<profile::Score> ProfileModel::scores(const profile::ProfilePrediction& unchanged) const {
  std::vector<profile::Score> all;
  for (const int64_t output : outputs_.labels)
    all.push_back({output == 0 ? std::vector<float>() : profile::probabilities(unchanged.logits)});
  return all;
}

}  // namespace bigdna::attribution
