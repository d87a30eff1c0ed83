/// The one-liner: genome -> vocabulary -> corpus -> pretraining -> model folder, each stage resumable.
#pragma once

#include <ATen/core/Tensor.h>

#include "corpus/build.h"
#include "model_folder/config.h"
#include "mlm/mlm.h"
#include "mlm/pretrain_options.h"

namespace bigdna::mlm {

/// Runs it all; docs/commands/pretrain.md says what lies in the run folder. Stopped where a signal asked for it.
void pretrain(PretrainOptions options);

// --- its parts, for tests and for other commands ---

/// The preset ("auto": by the device), and what flags changed of it.
struct PretrainSetup {
  model_folder::ModelConfig config;
  train::TrainOptions train;  // micro_batch resolved
  double mask_fraction = 0;
};
PretrainSetup resolve(const PretrainOptions& options, const at::Device& device, at::ScalarType precision);

/// The corpus of a run: RUN/corpus, from the genome.
corpus::BuildOptions corpus_options(const PretrainOptions& options, int passes);
/// Bases to train on that are not N, about: N is taken to be spread evenly.
int64_t training_bases(const corpus::Survey& survey);

/// Pieces that `training_bases` can carry: `wanted`, or less where a piece would have fewer than about 100 tokens.
int64_t vocabulary_for(int64_t wanted, int64_t training_bases);
/// About how many bases of human-like sequence a token of a vocabulary of that size spans.
double bases_per_token(int64_t vocab_size);

/// Trains a vocabulary on one pass of the sampler over the training intervals; writes `folder`.
tokenizer::Vocabulary build_vocabulary(const PretrainOptions& options, const corpus::Survey& survey, int64_t vocab_size, const std::string& folder);

/// The largest micro-batch, `most` at most, that fits into the memory the device has left, shared by `processes`:
/// judged by a pass over one and one over two random examples. Says so.
int64_t fit_micro_batch(const MlmModel& model, double mask_fraction, int64_t most, int64_t processes);

/// A few steps on random tokens, timed.
struct Measurement {
  double seconds_per_step = 0;
  double tokens_per_second = 0;
  uint64_t peak_memory = 0;  // bytes, on the device
};
Measurement measure_steps(const MlmModel& model, double mask_fraction, const train::TrainOptions& options);

}  // namespace bigdna::mlm
