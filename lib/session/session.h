/// Inference: from examples to numbers. Embeddings, predictions, evaluations and the validation of a training run all
/// use this.
///
///   const session::Placement placement(run);                        // device, precision, threads
///   const session::Session session(folder, placement);              // its weights, cast once
///   const session::SequenceReader reader(folder.vocabulary, folder.config.max_length);
///   std::vector<corpus::Example> examples{reader.example("ACGT...")};
///   const std::vector<float> logits = session.logits(std::move(examples));
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "corpus/example.h"
#include "model/encoder.h"
#include "model_folder/model_folder.h"
#include "session/placement.h"

namespace bigdna::session {

/// Scores of every masked token and every sentence pair of some examples, in their order.
struct MaskedScores {
  std::vector<float> nats;       // -ln p of the token that was masked
  std::vector<uint8_t> correct;  // 1 if it was the most likely token
  std::vector<uint8_t> pairs;    // per example: 1 if next-sentence prediction was right; empty without targets
  model::HaltingSteps halting;   // of all tokens; none unless tokens halt by themselves
};

/// Every method may be called by several threads at the same time (Placement::streams() of them; session/stream.h
/// starts them) and runs on the calling thread alone unless stated otherwise. Results are in the order of the examples,
/// as float32 on the host. On a CPU each example is computed by itself, so its numbers are the same, bit for bit,
/// whatever else is computed and on any number of threads. On a GPU, examples of similar lengths form batches, so that
/// little padding is computed; the batches of different callers do not interleave, and each caller waits for its own
/// results only. A result that is NaN or infinite is an Error that names the model, so that no caller has to look.
class Session {
 public:
  /// `parameters` of `config` may be on any device; they are moved and cast here. `name`: the model's, for errors.
  Session(const model_folder::ModelConfig& config, const model::Parameters& parameters, const Placement& placement,
          std::string name = "the model");
  /// Reads the folder's weights.
  Session(const model_folder::ModelFolder& folder, const Placement& placement);

  const model_folder::ModelConfig& config() const { return config_; }
  const Placement& placement() const { return placement_; }

  /// The task head's logits, row-major [examples, labels].
  std::vector<float> logits(std::vector<corpus::Example> examples) const;
  /// What the task head reads: row-major [examples, config().pooled_size()].
  std::vector<float> pooled(std::vector<corpus::Example> examples) const;
  /// Means of the last layer's hidden states over the tokens between [CLS] and [SEP], row-major [examples, hidden].
  std::vector<float> text_means(std::vector<corpus::Example> examples) const;
  /// Hidden states after `layer` (0: the embeddings; -1: the last), one tensor [tokens, hidden] per example, [CLS] and
  /// [SEP] included.
  std::vector<at::Tensor> hidden(std::vector<corpus::Example> examples, int64_t layer = -1) const;
  /// Scores of masked tokens, and of sentence pairs if the examples have targets. On all threads.
  MaskedScores masked(const std::vector<corpus::Example>& examples) const;
  /// Logits at each example's masked positions, row-major [masked, config().vocab_size]. On the calling thread.
  std::vector<std::vector<float>> masked_logits(const std::vector<corpus::Example>& examples) const;
  /// -ln p of each example's masked tokens, in their order. On the calling thread.
  std::vector<std::vector<float>> masked_nats(const std::vector<corpus::Example>& examples) const;

 private:
  /// Computes a result on the device, which is then copied to the host.
  using Compute = std::function<at::Tensor(const model::Batch& batch)>;
  at::Tensor run(const std::vector<corpus::Example>& batch, const Compute& compute) const;
  /// `compute`: gives a row of so many columns for each example.
  std::vector<float> rows(std::vector<corpus::Example> examples, int64_t columns, const Compute& compute) const;
  std::vector<std::vector<size_t>> batches(const std::vector<corpus::Example>& examples) const;
  /// Of the examples with these indices: -ln p of the masked tokens, whether each was the likeliest token (1 or 0), and
  /// whether each pair of sentences was classified rightly. `halting`, if given, is added to.
  at::Tensor masked_batch(const std::vector<corpus::Example>& examples, std::span<const size_t> indices,
                          model::HaltingSteps* halting = nullptr) const;
  void check(std::span<const float> values) const;

  std::string name_;
  model_folder::ModelConfig config_;
  Placement placement_;
  model::Parameters parameters_;
  std::unique_ptr<std::mutex> queue_ = std::make_unique<std::mutex>();  // held while a batch is queued on a GPU
};

}  // namespace bigdna::session
