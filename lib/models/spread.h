/// How far the networks of models disagree about a sequence.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/ensemble.h"
#include "models/sum.h"

namespace bigdna::models {

class Spread {
 public:
  /// The networks of all models; an encoder is one.
  static int64_t networks_of(const Ensemble& models);
  /// Error if there is one network alone.
  static void require_several(const Ensemble& models);
  /// The standard deviation of values of which there are two at least.
  static double deviation(std::span<const double> values);
  /// Reads the weights of networks on bases again, each network by itself. After Ensemble::load(); the members must
  /// outlive this.
  explicit Spread(const Ensemble& models);
  /// The standard deviation over all networks, row-major [sequences, outputs]: of log-odds, of logarithms of expected
  /// counts, or of numbers in their own units. The networks of one model share its k-mers. `models`: as before;
  /// Strands::forward or average. On the calling thread, by several at the same time.
  std::vector<float> of(const Ensemble& models, Sequences sequences, session::Strands strands) const;
  /// The logits of readings by each network of a member, row-major [readings, outputs] each. On the calling thread.
  std::vector<std::vector<float>> logits(const Ensemble& models, size_t member, std::span<Reading> readings) const;

 private:
  std::vector<std::vector<Sum>> sums_;  // of each model, with each of its networks; none of an encoder
};

}  // namespace bigdna::models
