/// What a model is compared with: methods that were trained on the same rows as the model and calibrated on the same
/// validation rows. bigdna.json keeps their calibrations, so that training and `evaluate` score the same.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/link.h"
#include "models/calibration.h"
#include "models/frozen_encoder.h"
#include "models/kmer_model.h"
#include "models/network.h"
#include "models/sum.h"

namespace bigdna::models {

/// By name, in the order of the tables: kmers, the k-mer regression; network or encoder, the model without its k-mers;
/// constant, the same for every row. A part of the model that has no weight in it is not there.
using Calibrations = std::vector<std::pair<std::string, Calibration>>;

class Baselines {
 public:
  /// Of a fine-tuned encoder. `link`: the model's. `kmers`: null if there are none. All must outlive this.
  Baselines(const session::SequenceReader& reader, const session::Session& session, const Link& link,
            const KmerModel* kmers);
  /// Of a network on bases, its k-mers, which read the site at `anchor`, and whose outputs become `other_strand` on the
  /// other one (KmerTerm), and the encoder beside it (null: none), with the head that reads it. `kernel`: null, or
  /// k-mers with a kernel model that reads the encoder's states.
  Baselines(std::shared_ptr<const Network> network, const Link& link, const KmerModel* kmers, double anchor,
            const std::vector<int64_t>& other_strand, const FrozenEncoder* encoder, const EncoderHead* head,
            const KmerModel* kernel);

  /// Logits that count no weight of labels, row-major [sequences, outputs], on all threads: as given, or the means of
  /// both strands. `pooled`: session::Session::pooled() of the sequences, where it is known already. Error for a name
  /// that there is no method of.
  std::vector<double> logits(const std::string& name, Sequences sequences, session::Strands strands,
                             std::span<const float> pooled = {}) const;
  std::vector<double> predictions(const std::string& name, const Calibration& calibration, Sequences sequences,
                                  session::Strands strands) const;

 private:
  struct Method {
    std::string name;
    Sum sum;
    bool counts_weights = false;  // of labels in the loss
  };
  void add(const std::string& name, std::unique_ptr<const Term> term, bool counts_weights = false);

  const Link& link_;
  int64_t outputs_, chunk_;
  int threads_;
  std::vector<Method> methods_;
};

/// Takes the logarithms of the weights of labels in the loss from logits that count them, row-major [rows, outputs].
void take_weights(std::span<double> logits, const Link& link);

}  // namespace bigdna::models
