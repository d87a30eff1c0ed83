/// What `bigdna explain` asks of a model: one that labels bins, of whose network only what a change reaches is
/// computed; or one that reads every changed sequence whole.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attribution/attributions.h"
#include "attribution/bin_model.h"
#include "attribution/explain_sites.h"
#include "models/model.h"

namespace bigdna::attribution {

/// What a model predicts for bins side by side around an interval.
struct Surroundings {
  int64_t start = 0, bin = 0;      // of the first bin, 0-based; bp of each
  std::vector<float> values = {};  // [bins, chosen features]
};

class Explainer {
 public:
  /// Opens the model and chooses device and precision; no weights are read yet. Error for a model of another task,
  /// UsageError for a method or strands that the model does not have.
  explicit Explainer(const ExplainOptions& options);

  const model_folder::ModelFolder& folder() const { return model_.folder(); }
  const std::vector<std::string>& names() const { return outputs_.names; }  // of the chosen features' columns
  const std::vector<io::ColumnArray>& feature_arrays() const { return outputs_.arrays; }  // what these are
  SiteTiling tiling() const;
  const char* precision() const { return placement_.precision(); }
  /// Warns of sequences that were longer than what the model reads.
  void report_truncated() const { model_.report_truncated(); }
  /// How many threads may call attributions() at the same time.
  int streams() const { return labels_bins() ? placement_.streams() : 1; }  // else each interval on all threads

  /// Reads the weights.
  void load() { model_.load(placement_); }
  /// Explains an interval, `number` of the input. After load().
  Attributions attributions(const Site& site, int64_t number) const;
  /// The predictions of kAround bins on either side, as `chromatin` gives them; nothing past a contig's ends. nullopt
  /// for records, and for models that do not label bins of bases. After load().
  std::optional<Surroundings> surroundings(const Site& site) const;

 private:
  static constexpr int64_t kAround = 20;  // bins
  bool labels_bins() const { return model_.folder().labels_bins(); }
  Attributions by_whole_sequences(const Site& site) const;

  const ExplainOptions& options_;
  models::Model model_;
  const dataset::Task& task_;
  ChosenOutputs outputs_;
  session::Placement placement_;
  std::optional<genome::Genome>
      genome_;  // where pictures show what lies around an interval of a model that labels bins
};

}  // namespace bigdna::attribution
