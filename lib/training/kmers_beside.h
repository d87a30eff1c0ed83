/// K-mers beside a network on bases: fitted to the same training rows, they are a term of the model, and what the model
/// is compared with.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/kmer_model.h"
#include "rows/task_rows.h"
#include "session/run_options.h"

namespace bigdna::training {

class KmersBeside {
 public:
  /// Fits k-mers to the training rows of `rows`, whose bases are what the network reads. `strands`: which it reads.
  /// `rows` must outlive this.
  KmersBeside(const rows::TaskRows& rows, session::Strands strands, int threads);

  /// Logits, row-major [rows, outputs], of the k-mers alone, or of another model of the same k-mers.
  std::vector<float> logits(const std::vector<int64_t>& rows) const { return logits_of(alone_, rows); }
  std::vector<float> logits_of(const models::KmerModel& model, const std::vector<int64_t>& rows) const;
  /// As they were fitted.
  const models::KmerModel& alone() const { return alone_; }

  /// Chooses on these validation rows, for each group of outputs, how much of the k-mers is added to `network`, the
  /// network's calibrated logits of the rows, [rows, outputs]: what leaves the least loss (linear::fit_stack()). A few
  /// megabases of validation rows resolve little, and a rule that asks for one standard error would leave the k-mers
  /// out where they help. The sum is calibrated on the same rows.
  void add_to(const std::vector<float>& network, const std::vector<int64_t>& validation);
  /// The term beside the network; null where its weight is 0 for every group.
  const models::KmerModel* beside() const { return beside_ ? &*beside_ : nullptr; }
  /// How much of the sum is k-mers, by group of outputs.
  const std::map<std::string, double>& weights() const { return weights_; }
  /// What the network's logits become with the term.
  std::vector<float> sum(std::vector<float> network, const std::vector<int64_t>& rows) const;

 private:
  const rows::TaskRows& rows_;
  session::Strands strands_;
  int threads_;
  models::KmerModel alone_;
  std::optional<models::KmerModel> beside_;
  std::map<std::string, double> weights_;
};

}  // namespace bigdna::training
