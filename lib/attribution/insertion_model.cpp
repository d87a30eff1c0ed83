#include "attribution/insertion_model.h"

#include <utility>

#include "attribution/profile_model.h"
#include "base/error.h"
#include "dataset/features.h"

namespace bigdna::attribution {
namespace {

class OfBins : public InsertionModel {
 public:
  OfBins(const std::string& path, const std::string& features) : own_(path, features) {}
  const std::string& path() const override { return own_.model.folder().path; }
  const ChosenOutputs& outputs() const override { return own_.outputs; }
  std::vector<int64_t> choose(const std::string& patterns, std::string_view option) const override {
    return dataset::choose_features(own_.model.features(), patterns, option);
  }
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
  explicit OfProfiles(ProfileModel model) : own_(std::move(model)) {}
  const std::string& path() const override { return own_.path(); }
  const ChosenOutputs& outputs() const override { return own_.outputs(); }
  std::vector<int64_t> choose(const std::string& patterns, std::string_view option) const override {
    return dataset::choose_features(ProfileModel::features(), patterns, option);
  }
  SiteTiling tiling() const override { return own_.tiling(); }
  void load(const session::Placement& placement) override { own_.load(placement); }
  std::vector<float> changes(const std::string& bases, std::span<const std::string> edits) const override {
    const auto original = own_.network().original(bases, own_.part(), session::Strands::average);
    const auto scores = own_.scores(original.prediction);
    std::vector<float> all;
    for (const auto& edit : edits) {
      const auto edited = own_.network().edited(original, edit);
      for (const auto& score : scores)
        all.push_back(static_cast<float>(score.of(edited) - score.of(original.prediction)));
    }
    return all;
  }

 private:
  ProfileModel own_;
};

}  // namespace

std::unique_ptr<InsertionModel> open_insertion_model(const std::string& path, const std::string& features,
                                                     std::optional<profile::Part> part,
                                                     const session::RunOptions& run) {
  if (model_folder::is_profile_model(path))
    return std::make_unique<OfProfiles>(ProfileModel(path, features, part, run));
  if (part) throw UsageError(concat("--part: ", path, " is not a profile model"));
  return std::make_unique<OfBins>(path, features);
}

}  // namespace bigdna::attribution
