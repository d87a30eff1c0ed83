/// How a model runs, and which strands of a sequence it reads. Torch-free: apps/options holds them.
#pragma once

#include <cstdint>
#include <string>

namespace bigdna::session {

/// Sequences scored together. Fixed, and shards are made of whole chunks, so that no output depends on the threads
/// or on how a job was divided.
inline constexpr int64_t kPredictionChunk = 32;

/// forward: as given; both: each strand for itself, the start site as far from its own 5' end as in training; average: the
/// mean of the two probabilities, the start site or bin at the same base in both readings (the paper's chromatin figures).
enum class Strands { forward, both, average };

/// What a user may ask for; session::Placement is what came of it.
struct RunOptions {
  std::string device = "auto", precision = "auto", backend = "auto";
  int threads = 1;
  int64_t batch_tokens = 16384;  // tokens of one forward pass of prediction, padding included
};

}  // namespace bigdna::session
