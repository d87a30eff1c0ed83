/// What a fine-tuned model is compared with: methods that were trained on the same rows as the model and calibrated on
/// the same validation rows. bigdna.json keeps their calibrations, so that `finetune` and `evaluate` score the same.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "task_model/answers.h"
#include "task_model/calibration.h"
#include "task_model/kmer_model.h"
#include "session/reader.h"
#include "session/session.h"

namespace bigdna::task_model {

/// By name, in the order of the tables: kmers, the k-mer regression; encoder, the model without its k-mers; cnn, its
/// CNN branch alone; constant, the same for every row. A part of the model that has no weight in it is not there.
using Calibrations = std::vector<std::pair<std::string, Calibration>>;

class Baselines {
 public:
  /// `answers`: the model's. `kmers`: null if there are none. All must outlive this.
  Baselines(const session::SequenceReader& reader, const session::Session& session, const Answers& answers,
            const KmerModel* kmers)
      : reader_(reader), session_(session), answers_(answers), kmers_(kmers) {}

  /// Logits that count no weight of labels, row-major [sequences, labels], on all threads. `reversed`: the sequences
  /// are reverse complements. `pooled`: session::Session::pooled() of the sequences, where it is known already. Error
  /// for another name than those above.
  std::vector<double> logits(const std::string& name, std::span<const std::string> sequences, bool reversed = false,
                             std::span<const float> pooled = {}) const;
  /// Predictions; for session::Strands::average the mean over both strands.
  std::vector<double> predictions(const std::string& name, const Calibration& calibration,
                                  std::span<const std::string> sequences, session::Strands strands) const;

 private:
  const session::SequenceReader& reader_;
  const session::Session& session_;
  const Answers& answers_;
  const KmerModel* kmers_;
};

/// The logits of k-mers, row-major [sequences, outputs].
std::vector<float> kmer_logits(const KmerModel& kmers, std::span<const std::string> sequences, double anchor,
                               int threads);

/// predictions(sequences, false), or for session::Strands::average the mean of these and predictions(their reverse
/// complements, true).
std::vector<double> of_strands(
    std::span<const std::string> sequences, session::Strands strands,
    const std::function<std::vector<double>(const std::vector<std::string>&, bool reversed)>& predictions);

/// Takes the logarithms of the weights of labels in the loss from logits that count them, row-major [rows, outputs].
void take_weights(std::span<double> logits, const Answers& answers);

}  // namespace bigdna::task_model
