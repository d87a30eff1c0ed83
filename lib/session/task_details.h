/// What a fine-tuned model's folder says of how it reads and what its scores mean.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model_folder/model_folder.h"
#include "session/run_options.h"

namespace bigdna::session {

/// What prediction needs to know of a fine-tuned model, kept in its bigdna.json.
struct TaskDetails {
  int64_t upstream = 0, downstream = 0;  // bp
  double threshold = 0.5;
  std::vector<double> positive_weights{1};  // of each label, or one for all
  std::vector<std::string> negatives;       // promoters
  static TaskDetails of(const model_folder::ModelFolder& folder);
  /// `run` with the model's --max-length and anchor.
  RunOptions applied_to(RunOptions run) const;
  int64_t max_length = 0;  // tokens; 0: all positions
  double anchor = 0.5;
};

}  // namespace bigdna::session
