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

/// By name, in the order of the tables: kmers, the k-mer regression; network, encoder and kernel, terms of the model
/// alone; constant, the same for every row. A term that has no weight in the model is not there.
using Calibrations = std::vector<std::pair<std::string, Calibration>>;

class Baselines {
 public:
  /// Of a fine-tuned encoder of so many outputs, which reads sites at `anchor`. `link`: the model's. `kmers`: null if
  /// there are none. All must outlive this.
  Baselines(int64_t outputs, int threads, const Link& link, const KmerModel* kmers, double anchor);
  /// Of a network on bases, its k-mers, which read the site at `anchor`, and whose outputs become `other_strand` on the
  /// other one (KmerTerm), and the encoder beside it (null: none), with the head that reads it. `kernel`: null, or
  /// k-mers with a kernel model that reads the encoder's states.
  Baselines(std::shared_ptr<const Network> network, const Link& link, const KmerModel* kmers, double anchor,
            const std::vector<int64_t>& other_strand, const FrozenEncoder* encoder, const EncoderHead* head,
            const KmerModel* kernel);

  /// Predictions of sequences, row-major [sequences, outputs], on all threads: as given, or of the mean logits of both
  /// strands. `calibration`: the method's. Error for a name that there is no method of.
  std::vector<double> predictions(const std::string& name, const Calibration& calibration, Sequences sequences,
                                  session::Strands strands) const;

 private:
  struct Method {
    std::string name;
    Sum sum;
  };
  void add(const std::string& name, std::unique_ptr<const Term> term);

  const Link& link_;
  int64_t outputs_, chunk_;
  int threads_;
  std::vector<Method> methods_;
};

}  // namespace bigdna::models
