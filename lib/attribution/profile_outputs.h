/// What bigdna explains of a profile model (BPNet, ChromBPNet): `counts_score`, the natural logarithm of the expected
/// number of reads, and `profile_score`, the mean of the profile's logits weighted by the unchanged sequence's profile,
/// minus their plain mean. chrombpnet and bpnet-lite explain the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dataset/features.h"
#include "profile/network.h"

namespace bigdna::attribution {

inline const std::vector<dataset::Feature> kProfileOutputs{{"counts_score", "-", "-", "-"},
                                                           {"profile_score", "-", "-", "-"}};

/// How `outputs`, indices of kProfileOutputs, are computed; `unchanged`: the prediction of the unchanged sequence.
inline std::vector<profile::Score> profile_scores(std::span<const int64_t> outputs,
                                                  const profile::ProfilePrediction& unchanged) {
  std::vector<profile::Score> all;
  for (const int64_t output : outputs)
    all.push_back({output == 0 ? std::vector<float>() : profile::probabilities(unchanged.logits)});
  return all;
}

}  // namespace bigdna::attribution
