/// Fine-tuned models: the details in their folders, and their predictions for sequences of bases.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model_folder/model_folder.h"
#include "task_model/answers.h"
#include "task_model/baselines.h"
#include "task_model/kmer_model.h"
#include "session/reader.h"
#include "session/session.h"

namespace bigdna::task_model {

/// Key of bigdna.json: whether the labels of a network for whole sequences hold for either strand, so that its
/// predictions are means of both, and calibrated as such. Networks that label bins always are.
inline constexpr const char* kEitherStrand = "either_strand";
/// Key of bigdna.json: whether training rows were chosen by their labels (classification::TaskRows::chosen_by_label).
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
  int64_t upstream = 0, downstream = 0;  // bp
  int64_t context = 0;                   // bp to either side of them that a network which labels bins reads, too
  double threshold = 0.5;
  /// How the model reads a sequence unless a user says otherwise: as its predictions were calibrated.
  session::Strands strands = session::Strands::forward;
  Answers answers;
  bool chosen_by_label = false;        // so probabilities are too high over a whole genome, where labels are rarer
  std::vector<std::string> negatives;  // promoters
  TrainedLengths lengths;              // of tables
  int64_t max_length = 0;  // tokens that are read; the model's maximum unless the folder records another number
  std::map<std::string, double> encoder_weight,
      kernel_weight;       // beside k-mers, by group of features; empty without them, or where it is not recorded
  Calibrations baselines;  // what the model is compared with
  double anchor = 0.5;     // a sequence that is too long is cut around this position, a fraction of its length
  static TaskDetails of(const model_folder::ModelFolder& folder);
  /// How a model of start sites reads: as `asked`, or one whose labels hold for either strand, both of them at once;
  /// else the given strand, and both, one after the other, where a genome is scanned. That of bins has an answer for
  /// each strand, too, because it averages the readings itself; UsageError if a mean of these answers is asked for.
  session::Strands site_strands(std::optional<session::Strands> asked, bool scan) const;
};

/// Opens a model folder (or a run folder that holds one) whose head is `head`; or, for a task with a bin_group, any
/// network that labels bins, which may have such labels. Error naming the head that it has instead, and the command
/// that makes such a model.
model_folder::ModelFolder open_model_with_head(const std::string& path, const std::string& head);

using Sequences = std::span<const std::string>;

/// Everything that answers for a fine-tuned model that reads tokens: encoder, head and CNN branch (the session's), the
/// k-mers beside them, and what the logits mean. There is no other place that makes such a model's logits.
class TaskModel {
 public:
  /// `reader`, `session` and `kmers` (null for the encoder alone) must outlive this.
  TaskModel(const session::SequenceReader& reader, const session::Session& session, const KmerModel* kmers = nullptr,
            Answers answers = {})
      : reader_(reader), session_(session), kmers_(kmers), answers_(std::move(answers)) {}

  const session::SequenceReader& reader() const { return reader_; }
  const session::Session& session() const { return session_; }

  /// A sequence as the model reads it; of a reverse complement the site is as far from the other end.
  struct Reading {
    corpus::Example example;
    const std::string* bases = nullptr;
    bool reversed = false;
  };
  /// Logits, row-major [readings, labels], on the calling thread. They count the positive weight of training. `parts`,
  /// for a model with k-mers, gets their parts.
  std::vector<float> logits(std::vector<Reading> readings, LogitParts* parts = nullptr) const;
  /// Predictions (Answers::apply()) of a few sequences, row-major [sequences, labels], on the calling thread, in double
  /// from the float logits on: as given or, for session::Strands::average, the mean over both strands (of `parts`,
  /// too). Not corrected for the positive weight of training.
  std::vector<double> predictions(Sequences sequences, session::Strands strands, LogitParts* parts = nullptr) const;

  /// The same for any number of sequences, on all threads, in chunks of session::kPredictionChunk.
  std::vector<double> all_predictions(Sequences sequences, session::Strands strands) const;
  /// Logits of any number of sequences as given, on all threads. `pooled`: session::Session::pooled() of these, where
  /// it is known already, so that the encoder is not run. `reversed`: the sequences are reverse complements, so the
  /// site is as far from the other end.
  std::vector<float> all_logits(Sequences sequences, std::span<const float> pooled = {}, bool reversed = false) const;

 private:
  const session::SequenceReader& reader_;
  const session::Session& session_;
  const KmerModel* kmers_;
  Answers answers_;
};

/// session::Session::pooled() of any number of sequences, on all threads.
std::vector<float> all_pooled(const session::SequenceReader& reader, const session::Session& session,
                              Sequences sequences);
/// session::Session::cnn_logits(), the part of the logits that the CNN branch has: the same for either strand.
std::vector<float> all_cnn_logits(const session::SequenceReader& reader, const session::Session& session,
                                  Sequences sequences);

}  // namespace bigdna::task_model
