/// `bigdna pretrain`: genome -> vocabulary -> corpus -> pretraining -> model folder. Each stage can be resumed.
#pragma once

#include <ATen/core/Tensor.h>

#include "corpus/build.h"
#include "model_folder/config.h"
#include "mlm/mlm.h"
#include "mlm/pretrain_options.h"

namespace bigdna::mlm {

/// Runs all stages; docs/commands/pretrain.md describes the run folder. Throws Stopped after a signal.
void pretrain(PretrainOptions options);

// --- its parts, for tests and for other commands ---

/// The preset ("auto" depends on the device) with the changes that options ask for.
struct PretrainSetup {
  model_folder::ModelConfig config;
  train::TrainOptions train;  // micro_batch resolved
  double mask_fraction = 0;
};
PretrainSetup resolve(const PretrainOptions& options, const at::Device& device, at::ScalarType precision);

/// The corpus of a run: RUN/corpus, from the genome.
corpus::BuildOptions corpus_options(const PretrainOptions& options, int passes);
/// The approximate number of bases to train on that are not N, assuming that N is spread evenly.
int64_t training_bases(const corpus::Survey& survey);

/// The size of a vocabulary for `training_bases`: `wanted`, or less if a piece would occur fewer than about 100 times.
int64_t vocabulary_for(int64_t wanted, int64_t training_bases);
/// The approximate number of bases per token in human-like sequence, for a vocabulary of that size.
double bases_per_token(int64_t vocab_size);

/// Trains a vocabulary on one pass of the sampler over the training intervals; writes `folder`.
tokenizer::Vocabulary build_vocabulary(const PretrainOptions& options, const corpus::Survey& survey, int64_t vocab_size,
                                       const std::string& folder);

/// The largest micro-batch, of at most `most` examples, that fits into the device's free memory, which `processes`
/// share. Measures passes over one and over two random examples, and logs the result.
int64_t fit_micro_batch(const MlmModel& model, double mask_fraction, int64_t most, int64_t processes);

/// The speed of a few steps on random tokens.
struct Measurement {
  double seconds_per_step = 0;
  double tokens_per_second = 0;
  uint64_t peak_memory = 0;  // bytes, on the device
};
Measurement measure_steps(const MlmModel& model, double mask_fraction, const train::TrainOptions& options);

}  // namespace bigdna::mlm
