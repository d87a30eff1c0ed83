#include "attribution/profile_explainer.h"

#include <cmath>
#include <utility>

#include "attribution/profile_outputs.h"
#include "base/error.h"
#include "base/log.h"
#include "genome/alphabet.h"
#include "model/network.h"
#include "profile/network.h"

namespace bigdna::attribution {
namespace {

using profile::Part;
using Method = ExplainOptions::Method;

class ProfileExplainer : public Explainer {
 public:
  explicit ProfileExplainer(const ExplainOptions& options)
      : options_(options),
        folder_(model_folder::ProfileFolder::open(options.model)),
        outputs_(kProfileOutputs, options.features),
        placement_(options.run),
        part_(options.part.value_or(Part::model)),
        strands_(options.strands.value_or(session::Strands::average)) {
    if (options.run.precision == "bf16")
      throw UsageError(concat("--precision bf16: ", options.model, " is a profile model, which computes in fp32"));
    if (options.part) check_part(*options.part, folder_);
  }

  const std::string& path() const override { return folder_.path; }
  const ChosenOutputs& outputs() const override { return outputs_; }
  SiteTiling tiling() const override { return profile_tiling(folder_.config); }
  const char* precision() const override { return placement_.precision(); }
  int streams() const override { return placement_.streams(); }

  void load() override {
    if (!options_.part && folder_.config.has_bias())
      log::info(folder_.path, ": explained without its bias model (--part whole adds it)");
    network_ = std::make_unique<profile::ProfileNetwork>(folder_, placement_);
  }

  Attributions attributions(const Site& site, int64_t number) const override {
    if (options_.method == Method::mutagenesis) return mutagenesis(site);
    const auto scores = scores_of(network_->predict(site.window, part_, strands_));
    return options_.method == Method::gradient ? gradient(site, scores) : integrated(site, scores, number);
  }

 private:
  std::vector<profile::Score> scores_of(const profile::ProfilePrediction& unchanged) const {
    return profile_scores(outputs_.labels, unchanged);
  }

  Attributions mutagenesis(const Site& site) const {
    const auto original = network_->original(site.window, part_, strands_);
    const auto scores = scores_of(original.prediction);
    return by_substitution(site, std::ssize(scores), [&](const std::vector<std::string>& sequences) {
      std::vector<double> values;
      for (const auto& bases : sequences) {
        const auto prediction = network_->edited(original, bases);
        for (const auto& score : scores) values.push_back(score.of(prediction));
      }
      return values;
    });
  }

  /// Of the explained bases, [count, 4].
  std::vector<float> gradient_of(const Site& site, const std::string& from, double share,
                                 const profile::Score& score) const {
    const auto all = network_->gradient(site.window, from, share, part_, strands_, score);
    const auto first = all.begin() + site.first * kBases;
    return {first, first + site.count * kBases};
  }

  Attributions gradient(const Site& site, const std::vector<profile::Score>& scores) const {
    auto result = empty(site, scores);
    for (size_t f = 0; f < scores.size(); ++f) {
      const auto slopes = gradient_of(site, site.window, 1, scores[f]);
      for (size_t i = 0; i < slopes.size(); ++i) result.hypothetical[i * scores.size() + f] = slopes[i];
    }
    centre(result.hypothetical, result.features);
    return result;
  }

  Attributions integrated(const Site& site, const std::vector<profile::Score>& scores, int64_t number) const {
    const auto references = shuffled_references(options_, site.window, site.first, site.count, number);
    const auto own = network_->predict(site.window, part_, strands_);
    const auto codes = model::base_codes(site.window);
    auto result = empty(site, scores);
    result.differences.assign(scores.size(), 0);
    const double share = 1 / static_cast<double>(references.size());
    for (const auto& reference : references) {
      const auto from = network_->predict(reference, part_, strands_);
      const auto from_codes = model::base_codes(reference);
      for (size_t f = 0; f < scores.size(); ++f) {
        result.differences[f] += static_cast<float>(share * (scores[f].of(own) - scores[f].of(from)));
        add_integral(site, reference, from_codes, scores[f], share, f, result);
      }
    }
    for (size_t f = 0; f < scores.size(); ++f) {
      double sum = 0;
      for (int64_t i = 0; i < site.count; ++i)
        if (const auto code = codes[static_cast<size_t>(site.first + i)]; code < kBases)
          sum += result.contribution(i, code, static_cast<int64_t>(f));
      result.errors.push_back(static_cast<float>(sum - result.differences[f]));
    }
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
  model_folder::ProfileFolder folder_;
  ChosenOutputs outputs_;
  session::Placement placement_;
  Part part_;
  session::Strands strands_;
  std::unique_ptr<profile::ProfileNetwork> network_;
};

}  // namespace

std::unique_ptr<Explainer> make_profile_explainer(const ExplainOptions& options) {
  return std::make_unique<ProfileExplainer>(options);
}

}  // namespace bigdna::attribution
