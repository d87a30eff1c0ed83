/// Fine-tuned models: what their folders say, and their answers for sequences of bases.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model_folder/model_folder.h"
#include "session/answers.h"
#include "session/reader.h"
#include "session/session.h"
#include "session/word_model.h"

namespace bigdna::session {

/// What prediction needs to know of a fine-tuned model, kept in its bigdna.json.
struct TaskDetails {
  int64_t upstream = 0, downstream = 0;  // bp
  double threshold = 0.5;
  Answers answers;
  std::vector<std::string> negatives;       // promoters
  int64_t max_length = 0;                   // tokens read; all of the model's positions where the folder does not say
  std::map<std::string, double> encoder_share;  // beside words, by group of features; empty without words, or where it is not recorded
  double anchor = 0.5;                      // what is too long is cut around this place, a fraction of its length
  static TaskDetails of(const model_folder::ModelFolder& folder);
};

/// Opens a model folder (or a run folder that holds one) whose head is `head`; Error saying what it is
/// instead and which command makes the one wanted.
model_folder::ModelFolder open_task_model(const std::string& path, const std::string& head);

using Sequences = std::span<const std::string>;

/// What the words and the encoder add to the logits, row-major [sequences, labels]: their sum is the logit.
struct LogitParts {
  std::vector<double> words, encoder;
};

/// Probabilities of a few sequences, row-major [sequences, labels], by the calling thread alone: as given, or
/// (Strands::average) the mean of both readings. Not corrected for the positive weight of training. `words`: those of the
/// model, where it has some; null: the encoder alone. `parts`, for a model with words, gets those of the logits (Strands::average:
/// their means over both readings). `answers`: what the logits mean (Answers::apply()). In double from the float logits on.
std::vector<double> probabilities(const SequenceReader& reader, const Session& session, Sequences sequences, Strands strands,
                                 const WordModel* words = nullptr, LogitParts* parts = nullptr, const Answers& answers = {});
/// The same of any number, on all threads, in chunks of kPredictionChunk.
std::vector<double> all_probabilities(const SequenceReader& reader, const Session& session, Sequences sequences, Strands strands,
                                     const WordModel* words = nullptr, const Answers& answers = {});
/// Logits, and Session::pooled(), of any number of sequences, as given, on all threads.
std::vector<float> all_logits(const SequenceReader& reader, const Session& session, Sequences sequences, const WordModel* words = nullptr);
/// Session::base_logits(), the part of the logits that the branch of bases has: the same for either strand.
std::vector<float> all_base_logits(const SequenceReader& reader, const Session& session, Sequences sequences);
std::vector<float> all_pooled(const SequenceReader& reader, const Session& session, Sequences sequences);

}  // namespace bigdna::session
