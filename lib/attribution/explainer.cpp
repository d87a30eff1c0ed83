#include "attribution/explainer.h"

#include <algorithm>

#include "base/error.h"
#include "attribution/profile_explainer.h"
#include "dataset/chromatin_dataset.h"
#include "genome/alphabet.h"
#include "model/network.h"
#include "model_folder/profile_config.h"
#include "session/stream.h"

namespace bigdna::attribution {
namespace {

using TaskSite = dataset::Task::Site;
constexpr int64_t kTogether = 256;  // positions that are changed together, which bounds the memory

const dataset::Task& explained_task(const model_folder::ModelFolder& folder) {
  const auto& head = folder.config.head;
  const dataset::Task* task = dataset::find_task(head);
  if (!task)
    fail(folder.path, ": its head is '", head,
         "', which does not predict; use a model made by bigdna train or finetune");
  return *task;
}

/// A model that labels bins, of whose network only what a change reaches is computed; or one that reads every changed
/// sequence whole.
class ModelExplainer : public Explainer {
 public:
  explicit ModelExplainer(const ExplainOptions& options);

  const std::string& path() const override { return folder().path; }
  const ChosenOutputs& outputs() const override { return outputs_; }
  SiteTiling tiling() const override;
  const char* precision() const override { return placement_.precision(); }
  void report_truncated() const override { model_.report_truncated(); }
  int streams() const override { return labels_bins() ? placement_.streams() : 1; }  // else each on all threads
  void load() override { model_.load(placement_); }
  Attributions attributions(const Site& site, int64_t number) const override;
  std::optional<Surroundings> surroundings(const Site& site) const override;

 private:
  static constexpr int64_t kAround = 20;  // bins
  const model_folder::ModelFolder& folder() const { return model_.folder(); }
  bool labels_bins() const { return folder().labels_bins(); }
  Attributions by_whole_sequences(const Site& site) const;

  const ExplainOptions& options_;
  models::Model model_;
  const dataset::Task& task_;
  ChosenOutputs outputs_;
  session::Placement placement_;
  std::optional<genome::Genome>
      genome_;  // where pictures show what lies around an interval of a model that labels bins
};

ModelExplainer::ModelExplainer(const ExplainOptions& options)
    : options_(options),
      model_(options.model, ""),
      task_(explained_task(model_.folder())),
      outputs_(model_.features(), options.features),
      placement_(options.run) {
  if (labels_bins()) {
    if (!options.pictures.empty() && options.input.fasta.empty())
      genome_.emplace(options.input.genome, options.input.invalid_bases);
    return;
  }
  if (options.method != ExplainOptions::Method::mutagenesis)
    throw UsageError(concat("--method mutagenesis is all that ", options.model, " has: it ",
                            folder().network ? "predicts for whole sequences, not for bins"
                                             : "reads tokens, which have no gradient with respect to a base"));
  if (task_.site == TaskSite::start && options.strands)
    throw UsageError("--strands: a promoter model reads each region's own strand, or both if it was calibrated so");
}

SiteTiling ModelExplainer::tiling() const {
  if (labels_bins()) return tiling_of(*folder().network);
  const auto& details = model_.details();
  if (task_.site == TaskSite::start) return {details.upstream, details.downstream, task_.site};
  if (task_.site == TaskSite::whole) return {0, 0, task_.site};
  const int64_t before = details.upstream + details.bin / 2;
  return {before, details.downstream + details.bin / 2};
}

Attributions ModelExplainer::attributions(const Site& site, int64_t number) const {
  if (!labels_bins()) return by_whole_sequences(site);
  return attribute(model_, site.window, {model_.network()->margin(), site.first, site.count}, outputs_.labels, options_,
                   number);
}

std::optional<Surroundings> ModelExplainer::surroundings(const Site& site) const {
  if (!genome_) return std::nullopt;
  const auto& network = *model_.network();
  const int64_t bin = network.bin(), margin = network.margin() * bin, own = site.window_start + margin;
  const int64_t before = std::clamp<int64_t>(own / bin, 0, kAround),
                after = std::clamp<int64_t>((site.length - own) / bin - 1, 0, kAround);
  Surroundings around{own - before * bin, bin};
  const int64_t bins = before + 1 + after;
  const auto bases = genome_->fetch({site.own_contig, around.start - margin, around.start + bins * bin + margin, '+'});
  std::vector<std::string> sequences;
  for (int64_t i = 0; i < bins; ++i)
    sequences.push_back(bases.substr(static_cast<size_t>(i * bin), static_cast<size_t>(network.context())));
  auto values = model_.predictions(sequences, options_.strands.value_or(session::Strands::average));
  const auto labels = network.config().labels;
  model_.details().link.correct(values, labels);
  for (int64_t i = 0; i < bins; ++i)
    for (const int64_t f : outputs_.labels)
      around.values.push_back(static_cast<float>(values[static_cast<size_t>(i * labels + f)]));
  return around;
}

/// Of a model that reads tokens, every changed sequence is tokenised again.
Attributions ModelExplainer::by_whole_sequences(const Site& site) const {
  const auto labels = model_.features().size();
  const auto strands =
      options_.strands.value_or(task_.site == TaskSite::bin ? session::Strands::average : model_.details().strands);
  return by_substitution(site, std::ssize(outputs_.labels), [&](std::vector<std::string> sequences) {
    if (site.strand == '-')
      for (auto& bases : sequences) genome::reverse_complement_in_place(bases);
    const auto logits =
        session::in_chunks(std::span<const std::string>(sequences), static_cast<int64_t>(labels), placement_.streams(),
                           [&](auto part) { return model_.logits(part, strands); });
    std::vector<double> values(logits.begin(), logits.end()), chosen;
    for (size_t i = 0; i < values.size(); i += labels) {
      model_.details().link.to_own_units(std::span(values).subspan(i, labels));
      for (const int64_t f : outputs_.labels) chosen.push_back(values[i + static_cast<size_t>(f)]);
    }
    return chosen;
  });
}

}  // namespace

Attributions by_substitution(const Site& site, int64_t features,
                             const std::function<std::vector<double>(std::vector<std::string> sequences)>& values_of) {
  const auto codes = model::base_codes(site.window);
  const auto original = values_of({site.window});
  Attributions result{site.count, features};
  for (int64_t begin = site.first, end = site.first + site.count; begin < end; begin += kTogether) {
    const int64_t stop = std::min(end, begin + kTogether);
    const auto values = values_of(genome::substitutions(site.window, begin, stop));
    size_t next = 0;
    for (int64_t at = begin; at < stop; ++at)
      for (int64_t base = 0; base < kBases; ++base) {
        const double* row = original.data();
        if (base != codes[static_cast<size_t>(at)]) row = values.data() + static_cast<size_t>(features) * next++;
        for (size_t f = 0; f < original.size(); ++f)
          result.hypothetical.push_back(static_cast<float>(row[f] - original[f]));
      }
  }
  centre(result.hypothetical, result.features);
  return result;
}

std::unique_ptr<Explainer> make_explainer(const ExplainOptions& options) {
  if (model_folder::is_profile_model(options.model)) return make_profile_explainer(options);
  if (options.part) throw UsageError(concat("--part: ", options.model, " is not a profile model"));
  return std::make_unique<ModelExplainer>(options);
}

}  // namespace bigdna::attribution
