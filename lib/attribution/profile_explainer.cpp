#include "attribution/profile_explainer.h"

#include "attribution/profile_model.h"
#include "model/network.h"

namespace bigdna::attribution {
namespace {

using Method = ExplainOptions::Method;

class ProfileExplainer : public Explainer {
 public:
  explicit ProfileExplainer(const ExplainOptions& options)
      : options_(options),
        model_(options.model, options.features, options.part, options.run),
        placement_(options.run),
        strands_(options.strands.value_or(session::Strands::average)) {}

  const std::string& path() const override { return model_.path(); }
  const ChosenOutputs& outputs() const override { return model_.outputs(); }
  SiteTiling tiling() const override { return model_.tiling(); }
  const char* precision() const override { return placement_.precision(); }
  int streams() const override { return placement_.streams(); }
  void load() override { model_.load(placement_); }

  Attributions attributions(const Site& site, int64_t number) const override {
    if (options_.method == Method::mutagenesis) return mutagenesis(site);
    const auto own = network().predict(site.window, model_.part(), strands_);
    return options_.method == Method::gradient ? gradient(site, own) : integrated(site, own, number);
  }

 private:
  const profile::ProfileNetwork& network() const { return model_.network(); }

  Attributions mutagenesis(const Site& site) const {
    const auto original = network().original(site.window, model_.part(), strands_);
    const auto scores = model_.scores(original.prediction);
    return by_substitution(site, std::ssize(scores), [&](const std::vector<std::string>& sequences) {
      std::vector<double> values;
      for (const auto& bases : sequences) {
        const auto prediction = network().edited(original, bases);
        for (const auto& score : scores) values.push_back(score.of(prediction));
      }
      return values;
    });
  }

  /// Of the explained bases, [count, 4].
  std::vector<float> gradient_of(const Site& site, const std::string& from, double share,
                                 const profile::Score& score) const {
    const auto all = network().gradient(site.window, from, share, model_.part(), strands_, score);
    const auto first = all.begin() + site.first * kBases;
    return {first, first + site.count * kBases};
  }

  /// `own`: the prediction of the window as it is.
  Attributions gradient(const Site& site, const profile::ProfilePrediction& own) const {
    const auto scores = model_.scores(own);
    auto result = empty(site, scores);
    for (size_t f = 0; f < scores.size(); ++f) {
      const auto slopes = gradient_of(site, site.window, 1, scores[f]);
      for (size_t i = 0; i < slopes.size(); ++i) result.hypothetical[i * scores.size() + f] = slopes[i];
    }
    centre(result.hypothetical, result.features);
    return result;
  }

  Attributions integrated(const Site& site, const profile::ProfilePrediction& own, int64_t number) const {
    const auto references = shuffled_references(options_, site.window, site.first, site.count, number);
    const auto scores = model_.scores(own);
    auto result = empty(site, scores);
    std::vector<double> differences(scores.size());
    const double share = 1 / static_cast<double>(references.size());
    for (const auto& reference : references) {
      const auto from = network().predict(reference, model_.part(), strands_);
      const auto from_codes = model::base_codes(reference);
      for (size_t f = 0; f < scores.size(); ++f) {
        differences[f] += share * (scores[f].of(own) - scores[f].of(from));
        add_integral(site, reference, from_codes, scores[f], share, f, result);
      }
    }
    result.compare_with(differences, model::base_codes(site.window), site.first);
    return result;
  }

  /// Adds a share of the mean gradient on the way from a reference, minus that of the reference's base.
  void add_integral(const Site& site, const std::string& reference, const std::vector<int32_t>& from_codes,
                    const profile::Score& score, double share, size_t f, Attributions& result) const {
    std::vector<double> mean(static_cast<size_t>(site.count * kBases));
    for (int64_t step = 0; step < options_.steps; ++step) {
      const double way = (static_cast<double>(step) + 0.5) / static_cast<double>(options_.steps);
      const auto slopes = gradient_of(site, reference, way, score);
      for (size_t i = 0; i < slopes.size(); ++i) mean[i] += slopes[i] / static_cast<double>(options_.steps);
    }
    for (int64_t i = 0; i < site.count; ++i) {
      const auto code = from_codes[static_cast<size_t>(site.first + i)];
      const double from = code < kBases ? mean[static_cast<size_t>(i * kBases + code)] : 0;
      for (int64_t base = 0; base < kBases; ++base) {
        const auto at = static_cast<size_t>(i * kBases + base);
        result.hypothetical[at * static_cast<size_t>(result.features) + f] +=
            static_cast<float>(share * (mean[at] - from));
      }
    }
  }

  Attributions empty(const Site& site, const std::vector<profile::Score>& scores) const {
    Attributions result{site.count, std::ssize(scores)};
    result.hypothetical.resize(static_cast<size_t>(site.count * kBases) * scores.size());
    return result;
  }

  const ExplainOptions& options_;
  ProfileModel model_;
  session::Placement placement_;
  session::Strands strands_;
};

}  // namespace

std::unique_ptr<Explainer> make_profile_explainer(const ExplainOptions& options) {
  return std::make_unique<ProfileExplainer>(options);
}

}  // namespace bigdna::attribution
