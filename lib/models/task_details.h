/// What prediction needs to know about a model of a task, as its folder records it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataset/bin.h"
#include "model_folder/model_folder.h"
#include "models/link.h"
#include "models/baselines.h"
#include "session/run_options.h"

namespace bigdna::models {

/// Key of bigdna.json: whether the labels of a network for whole sequences hold for either strand, so that its
/// predictions are means of both, and calibrated as such. Networks that label bins always are.
inline constexpr const char* kEitherStrand = "either_strand";
/// Key of bigdna.json: whether training rows were chosen by their labels (rows::TaskRows::chosen_by_label).
inline constexpr const char* kChosenByLabel = "rows_chosen_by_label";
/// Key of bigdna.json: bp of the shortest and of the longest training row of a table.
inline constexpr const char* kSequenceLengths = "sequence_bp";

/// The lengths of the sequences that a model was trained on. Others may differ by a factor of two, and are counted
/// beyond that.
struct TrainedLengths {
  int64_t shortest = 0, longest = 0;  // bp; 0: there is no such bound
  bool too_short(int64_t bp) const { return 2 * bp < shortest; }
  bool too_long(int64_t bp) const { return longest > 0 && bp > 2 * longest; }
  /// Warns if there are any of the `total` intervals, or rows (`what`).
  void warn(int64_t too_short, int64_t too_long, int64_t total, const std::string& what) const;
};

/// What prediction needs to know about a fine-tuned model; kept in its bigdna.json.
struct TaskDetails {
  int64_t bin = dataset::kBin;           // bp, of models of bins
  int64_t upstream = 0, downstream = 0;  // bp
  int64_t context = 0;                   // bp to either side of them that a network which labels bins reads, too
  double threshold = 0.5;
  /// How the model reads a sequence unless a user says otherwise: as its predictions were calibrated.
  session::Strands strands = session::Strands::forward;
  Link link;
  bool chosen_by_label = false;        // so probabilities are too high over a whole genome, where labels are rarer
  std::vector<std::string> negatives;  // promoters
  TrainedLengths lengths;              // of tables
  int64_t max_length = 0;  // tokens that are read; the model's maximum unless the folder records another number
  Calibrations baselines;  // what the model is compared with
  double anchor = 0.5;     // a sequence that is too long is cut around this position, a fraction of its length
  static TaskDetails of(const model_folder::ModelFolder& folder);
  /// How a model of start sites reads: as `asked`, or one whose labels hold for either strand, both of them at once;
  /// else the given strand, and both, one after the other, where a genome is scanned. That of bins has an answer for
  /// each strand, too, because it averages the readings itself; UsageError if a mean of such outputs is asked for.
  session::Strands site_strands(std::optional<session::Strands> asked, bool scan) const;
};

/// Opens a model folder (or a run folder that holds one) whose head is `head`; or, for a task with a bin_group, any
/// network that labels bins, which may have such labels. Error naming the head that it has instead, and the command
/// that makes such a model.
model_folder::ModelFolder open_model_with_head(const std::string& path, const std::string& head);

}  // namespace bigdna::models
