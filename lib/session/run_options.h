/// How a classifier runs, and which strands it reads. Torch-free: apps/options holds them.
#pragma once

#include <cstdint>
#include <string>

namespace bigdna::session {

/// Rows scored together. Fixed, and shards are made of whole chunks, so that no output depends on the threads
/// or on how a job was divided.
inline constexpr int64_t kPredictionChunk = 32;

/// forward: as given; both: each strand for itself, the start site as far from its own 5' end as in training; average: the
/// mean of the two probabilities, the start site or bin at the same base in both readings (the paper's chromatin figures).
enum class Strands { forward, both, average };

struct RunOptions {
  std::string device = "auto", precision = "auto", backend = "auto";
  int threads = 1;
  double anchor = 0.5;           // what is too long is cut around this place, a fraction of its length
  int64_t max_length = 0;        // tokens read at most; 0: what the model has positions for
  int64_t batch_tokens = 16384;  // tokens of one forward pass of prediction, padding included
};

}  // namespace bigdna::session
