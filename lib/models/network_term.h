/// The term of a network on bases.
#pragma once

#include <memory>

#include "models/network.h"
#include "models/term.h"

namespace bigdna::models {

class NetworkTerm : public Term {
 public:
  explicit NetworkTerm(std::shared_ptr<const Network> network) : network_(std::move(network)) {}
  std::string_view name() const override { return "network"; }
  /// Edits as long as what they were made from compute only what their changes reach.
  std::vector<float> logits(std::span<Reading> readings) const override;
  std::vector<float> mean_of_strands(std::span<Reading> forward, std::span<Reading> reverse) const override;

 private:
  std::shared_ptr<const Network> network_;
};

}  // namespace bigdna::models
