/// What `bigdna explain` asks: a network on bases, or a fine-tuned model that reads tokens.
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

class Explainer {
 public:
  /// Opens the model and chooses device and precision; no weights are read yet. Error for a model of another task,
  /// UsageError for a method or strands that a model which reads tokens does not have.
  explicit Explainer(const ExplainOptions& options);

  const model_folder::ModelFolder& folder() const { return folder_; }
  const std::vector<std::string>& names() const { return features_.names; }  // of the chosen features' columns
  SiteTiling tiling() const;
  const char* precision() const;
  /// Warns of sequences that were longer than what the model reads.
  void report_truncated() const;
  /// How many threads may call what load() gives at the same time.
  int streams() const;

  /// Reads the weights. The result explains an interval, `number` of the input, and must not outlive this.
  using Attribute = std::function<Attributions(const Site& site, int64_t number)>;
  Attribute load() const;

 private:
  Attributions by_tokens(const Site& site) const;

  const ExplainOptions& options_;
  model_folder::ModelFolder folder_;
  const dataset::Task* task_;
  ChosenFeatures features_;
  std::unique_ptr<Ensemble> tokens_;           // of a model that reads tokens
  std::unique_ptr<session::Placement> bases_;  // of a network on bases
};

}  // namespace bigdna::prediction
