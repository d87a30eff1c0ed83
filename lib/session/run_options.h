/// How a model runs, and which strands of a sequence it reads. Without LibTorch, so that apps/options can use them.
#pragma once

#include <cstdint>
#include <string>

namespace bigdna::session {

/// Number of sequences that are scored together. It is fixed, and shards consist of whole chunks, so that no output
/// depends on the number of threads or on how a job is divided.
inline constexpr int64_t kPredictionChunk = 32;

/// forward: as given. both: each strand separately, with the start site as far from the strand's 5' end as in training.
/// average: the mean of both strands' log-odds, with the start site or bin at the same base.
enum class Strands { forward, both, average };
inline const char* strands_name(Strands strands) {
  return strands == Strands::average ? "average" : strands == Strands::both ? "both" : "forward";
}

/// What a user may ask for; session::Placement resolves it.
struct RunOptions {
  std::string device = "auto", precision = "auto", backend = "auto";
  int threads = 1;
  int64_t batch_tokens = 16384;  // tokens of one forward pass of prediction, padding included
};

}  // namespace bigdna::session
