/// What `bigdna explain` asks: a network on bases that labels bins, of which only what a change reaches is computed; or
/// a network for whole sequences or a fine-tuned model that reads tokens, which read every changed sequence.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "prediction/attributions.h"
#include "prediction/ensemble.h"
#include "prediction/explain_sites.h"
#include "prediction/network.h"

namespace bigdna::prediction {

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

  const model_folder::ModelFolder& folder() const { return folder_; }
  const std::vector<std::string>& names() const { return features_.names; }  // of the chosen features' columns
  const std::vector<io::ColumnArray>& feature_arrays() const { return features_.arrays; }  // what these are
  SiteTiling tiling() const;
  const char* precision() const;
  /// Warns of sequences that were longer than what the model reads.
  void report_truncated() const;
  /// How many threads may call what load() gives at the same time.
  int streams() const;

  /// Reads the weights. The result explains an interval, `number` of the input, and must not outlive this.
  using Attribute = std::function<Attributions(const Site& site, int64_t number)>;
  Attribute load();
  /// The predictions of kAround bins on either side, as `chromatin` gives them; nothing past a contig's ends. nullopt
  /// for records, and for models that do not label bins of bases. After load().
  std::optional<Surroundings> surroundings(const Site& site) const;

 private:
  static constexpr int64_t kAround = 20;  // bins
  Attributions by_whole_sequences(const Site& site) const;

  const ExplainOptions& options_;
  model_folder::ModelFolder folder_;
  const dataset::Task* task_;
  ChosenFeatures features_;
  std::unique_ptr<Ensemble> whole_;            // of a model that reads tokens, or answers for whole sequences
  std::unique_ptr<session::Placement> bases_;  // of a network on bases that labels bins
  std::shared_ptr<const session::ProfileModel> network_;
  task_model::Answers answers_;           // what its logits mean
  std::optional<genome::Genome> genome_;  // where pictures show what lies around an interval of a network on bases
};

}  // namespace bigdna::prediction
