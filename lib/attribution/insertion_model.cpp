#include "attribution/insertion_model.h"

#include "attribution/profile_outputs.h"
#include "base/error.h"
#include "model_folder/profile_config.h"
#include "profile/network.h"

namespace bigdna::attribution {
namespace {

class OfBins : public InsertionModel {
 public:
  OfBins(const std::string& path, const std::string& features) : own_(path, features) {}
  const std::string& path() const override { return own_.model.folder().path; }
  const ChosenOutputs& outputs() const override { return own_.outputs; }
  SiteTiling tiling() const override { return tiling_of(own_.config()); }
  void load(const session::Placement& placement) override { own_.model.load(placement); }
  std::vector<float> changes(const std::string& bases, std::span<const std::string> edits) const override {
    const auto all = own_.model.changes(bases, edits, session::Strands::average);
    const auto labels = static_cast<size_t>(own_.config().labels);
    std::vector<float> chosen;
    for (size_t row = 0; row < all.size(); row += labels)
      for (const int64_t label : own_.outputs.labels) chosen.push_back(all[row + static_cast<size_t>(label)]);
    return chosen;
  }

 private:
  BinModel own_;
};

class OfProfiles : public InsertionModel {
 public:
  OfProfiles(const std::string& path, const std::string& features, std::optional<profile::Part> part)
      : folder_(model_folder::ProfileFolder::open(path)),
        outputs_(kProfileOutputs, features),
        part_(part.value_or(profile::Part::model)) {
    if (part) check_part(*part, folder_);
  }
  const std::string& path() const override { return folder_.path; }
  const ChosenOutputs& outputs() const override { return outputs_; }
  SiteTiling tiling() const override { return profile_tiling(folder_.config); }
  void load(const session::Placement& placement) override {
    network_ = std::make_unique<profile::ProfileNetwork>(folder_, placement);
  }
  std::vector<float> changes(const std::string& bases, std::span<const std::string> edits) const override {
    const auto original = network_->original(bases, part_, session::Strands::average);
    const auto scores = profile_scores(outputs_.labels, original.prediction);
    std::vector<float> all;
    for (const auto& edit : edits) {
      const auto edited = network_->edited(original, edit);
      for (const auto& score : scores)
        all.push_back(static_cast<float>(score.of(edited) - score.of(original.prediction)));
    }
    return all;
  }

 private:
  model_folder::ProfileFolder folder_;
  ChosenOutputs outputs_;
  profile::Part part_;
  std::unique_ptr<profile::ProfileNetwork> network_;
};

}  // namespace

std::unique_ptr<InsertionModel> open_insertion_model(const std::string& path, const std::string& features,
                                                     std::optional<profile::Part> part) {
  if (model_folder::is_profile_model(path)) return std::make_unique<OfProfiles>(path, features, part);
  if (part) throw UsageError(concat("--part: ", path, " is not a profile model"));
  return std::make_unique<OfBins>(path, features);
}

}  // namespace bigdna::attribution
