/// `bigdna pretrain`: genome -> vocabulary -> corpus -> pretraining -> model folder. Each stage can be resumed.
#pragma once

#include <ATen/core/Tensor.h>

#include "corpus/build.h"
#include "model_folder/config.h"
#include "mlm/mlm.h"
#include "mlm/pretrain_options.h"
#include "train/measure.h"

namespace bigdna::mlm {

/// Runs all stages; docs/commands/pretrain.md describes the run folder. Throws Stopped after a signal.
void pretrain(PretrainOptions options);

// --- its parts, for tests and for other commands ---

/// The preset ("auto" depends on the device) with the changes that options ask for.
struct PretrainSetup {
  model_folder::ModelConfig config;
  train::LoopOptions train;  // micro_batch resolved
  double mask_fraction = 0;
  corpus::Hiding hiding = corpus::Hiding::bert;
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

/// A vocabulary of that size, for timing before the real one exists.
std::shared_ptr<const tokenizer::Vocabulary> placeholder_vocabulary(int64_t size);

/// The largest micro-batch, of at most `most` examples, that fits into the device's free memory, which `processes`
/// share. Measures passes over one and over two random examples, and logs the result.
int64_t fit_micro_batch(const MlmModel& model, double mask_fraction, int64_t most, int64_t processes);

/// The speed of a few steps on random tokens.
train::Measurement measure_steps(const MlmModel& model, double mask_fraction, const train::LoopOptions& options);

/// What is known of a run before it begins.
struct PlannedRun {
  const PretrainSetup& setup;
  train::Measurement measured;  // of one rank's part of a batch
  double forward = 0;           // tokens per second without gradients; 0: not measured
  std::string device;
  int64_t ranks = 1;
  const corpus::Survey* genome = nullptr;  // of a run that makes its corpus, in `passes`; null: `corpus` is there
  std::string corpus = "";                 // folder
  int passes = 1;
  double pass = 0;               // tokens of one pass, or of the corpus
  double evaluation_tokens = 0;  // that an evaluation scores
};
/// Measures this rank's part of a batch; the others are assumed to be as fast. `forward`: also passes over the same
/// tokens through encoder and language head without gradients, each on all threads, as in a step.
PlannedRun measure_run(const PretrainSetup& setup, const MlmModel& model, int64_t ranks, bool forward);
/// Its size, time, memory and disk space, as `--plan` prints them.
std::vector<std::string> plan_lines(const PlannedRun& run);

/// Writes RUN/model and then RUN/run.json. `ngrams`: what n-grams were counted on (CountedNgrams::json()). `seen`: what
/// the model of --init-from was trained on; recorded as training data beside the corpus's.
void write_pretrained(const PretrainOptions& options, const PretrainSetup& setup,
                      const tokenizer::Vocabulary& vocabulary, const corpus::Corpus& corpus,
                      const train::RunResult& result, const nlohmann::ordered_json& ngrams, genome::IntervalSet seen);
/// Warns if the model has learned nothing from context, because its other figures may look good all the same.
void warn_without_context(const std::map<std::string, double>& metrics);

}  // namespace bigdna::mlm
