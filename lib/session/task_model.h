/// Fine-tuned models: the details in their folders, and their predictions for sequences of bases.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model_folder/model_folder.h"
#include "session/answers.h"
#include "session/baselines.h"
#include "session/kmer_model.h"
#include "session/reader.h"
#include "session/session.h"

namespace bigdna::session {

/// Key of bigdna.json: whether the labels of a network for whole sequences hold for either strand, so that its
/// predictions are means of both, and calibrated as such. Networks that label bins always are.
inline constexpr const char* kEitherStrand = "either_strand";

/// What prediction needs to know about a fine-tuned model; kept in its bigdna.json.
struct TaskDetails {
  int64_t upstream = 0, downstream = 0;  // bp
  int64_t context = 0;                   // bp to either side of them that a network which labels bins reads, too
  double threshold = 0.5;
  /// How the model reads a sequence unless a user says otherwise: as its predictions were calibrated.
  Strands strands = Strands::forward;
  Answers answers;
  std::vector<std::string> negatives;  // promoters
  int64_t max_length = 0;  // tokens that are read; the model's maximum unless the folder records another number
  std::map<std::string, double> encoder_weight,
      kernel_weight;       // beside k-mers, by group of features; empty without them, or where it is not recorded
  Calibrations baselines;  // what the model is compared with
  double anchor = 0.5;     // a sequence that is too long is cut around this position, a fraction of its length
  static TaskDetails of(const model_folder::ModelFolder& folder);
};

/// Opens a model folder (or a run folder that holds one) whose head is `head`; or, for a task of start
/// sites, any profile network, whose bins may have such labels. Error naming the head that it has instead, and the
/// command that makes such a model.
model_folder::ModelFolder open_model_with_head(const std::string& path, const std::string& head);

using Sequences = std::span<const std::string>;

/// Probabilities of a few sequences, row-major [sequences, labels], on the calling thread: as given or, for
/// Strands::average, the mean over both strands. Not corrected for the positive weight of training. `kmers` are the
/// model's; null for the encoder alone.
/// `parts`, for a model with k-mers, gets the parts of the logits (for Strands::average, their means over both
/// strands). `answers` turns logits into predictions (Answers::apply()). In double from the float logits on.
std::vector<double> probabilities(const SequenceReader& reader, const Session& session, Sequences sequences,
                                  Strands strands, const KmerModel* kmers = nullptr, LogitParts* parts = nullptr,
                                  const Answers& answers = {});
/// The same for any number of sequences, on all threads, in chunks of kPredictionChunk.
std::vector<double> all_probabilities(const SequenceReader& reader, const Session& session, Sequences sequences,
                                      Strands strands, const KmerModel* kmers = nullptr, const Answers& answers = {});
/// Logits, and Session::pooled(), of any number of sequences as given, on all threads. `pooled`: the latter, where it
/// is known already, so that the encoder is not run.
std::vector<float> all_logits(const SequenceReader& reader, const Session& session, Sequences sequences,
                              const KmerModel* kmers = nullptr, std::span<const float> pooled = {});
/// Session::cnn_logits(), the part of the logits that the CNN branch has: the same for either strand.
std::vector<float> all_cnn_logits(const SequenceReader& reader, const Session& session, Sequences sequences);
std::vector<float> all_pooled(const SequenceReader& reader, const Session& session, Sequences sequences);

}  // namespace bigdna::session
