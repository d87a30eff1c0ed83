/// How far the networks of models disagree about a sequence.
#pragma once

#include <cstdint>
#include <vector>

#include "models/ensemble.h"
#include "models/sum.h"

namespace bigdna::models {

class Spread {
 public:
  /// The networks of all models; an encoder is one.
  static int64_t networks_of(const Ensemble& models);
  /// Reads the weights of networks on bases again, each network by itself. After Ensemble::load(); the members must
  /// outlive this.
  explicit Spread(const Ensemble& models);
  /// The standard deviation over all networks, row-major [sequences, outputs]: of log-odds, of logarithms of expected
  /// counts, or of numbers in their own units. The networks of one model share its k-mers. `models`: as before;
  /// Strands::forward or average. On the calling thread, by several at the same time.
  std::vector<float> of(const Ensemble& models, Sequences sequences, session::Strands strands) const;

 private:
  std::vector<std::vector<Sum>> sums_;  // of each model, with each of its networks; none of an encoder
};

}  // namespace bigdna::models
