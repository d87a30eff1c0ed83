/// `bigdna explain` of a profile model (BPNet, ChromBPNet), by mutagenesis. Its outputs are `counts_score`, the natural
/// logarithm of the expected number of reads, and `profile_score`, the mean of the profile's logits weighted by the
/// unchanged sequence's profile, minus their plain mean: what chrombpnet and bpnet-lite explain of a profile.
#pragma once

#include <memory>

#include "attribution/explainer.h"

namespace bigdna::attribution {

std::unique_ptr<Explainer> make_profile_explainer(const ExplainOptions& options);

}  // namespace bigdna::attribution
