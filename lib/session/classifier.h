/// Models with a task head: from bases to probabilities. Promoters and chromatin differ only in what they
/// read and write.
#pragma once

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "corpus/example.h"
#include "model/encoder.h"
#include "model_folder/model_folder.h"
#include "session/run_options.h"
#include "tokenizer/encoder.h"

namespace bigdna::session {

/// [CLS] x [SEP] of at most `max_length` tokens. What is too long is cut around the base at `anchor` (a
/// fraction of its length); `truncated` counts it. `begins`, where given, gets the first base of each kept token, and
/// the end of the last.
corpus::Example make_example(const tokenizer::Encoder& encoder, std::string_view bases, int64_t max_length,
                             double anchor, std::atomic<int64_t>& truncated,
                             std::vector<int64_t>* begins = nullptr);
/// The same of bases that are encoded already.
corpus::Example make_example(const tokenizer::SpecialTokens& special, const tokenizer::Encoding& encoding, int64_t max_length,
                             double anchor, std::atomic<int64_t>& truncated, std::vector<int64_t>* begins = nullptr);

/// A configuration, a vocabulary and where it runs; the parameters come separately (training changes them).
class Classifier {
 public:
  /// Selects device and precision: to be made before any other use of LibTorch.
  Classifier(const model_folder::ModelConfig& config, const tokenizer::Vocabulary& vocabulary,
             const RunOptions& options);
  Classifier(const Classifier&) = delete;

  const model_folder::ModelConfig& config() const { return config_; }
  const at::Device& device() const { return device_; }
  const model::ForwardOptions& forward() const { return forward_; }
  /// `reversed`: the bases are a reverse complement, the anchor lies as far from the end.
  corpus::Example example(std::string_view bases, bool reversed = false,
                          std::vector<int64_t>* begins = nullptr) const {
    ++examples_;
    return make_example(encoder_, bases, max_length_, reversed ? 1 - anchor_ : anchor_, truncated_, begins);
  }

  /// Probabilities (sigmoid of the logits), row-major [bases.size(), labels]. Runs batches of similar lengths
  /// on options.threads threads, each batch on one, so that the numbers do not depend on how many there are.
  /// On a GPU one batch follows the other.
  std::vector<float> score(const model::Parameters& parameters, std::span<const std::string> bases,
                           Strands strands) const;
  /// The same for one batch's worth of sequences, on the calling thread alone. `parameters` are as to_device() gives
  /// them for forward().compute: others are cast again at every use.
  std::vector<float> score_here(const model::Parameters& parameters, std::span<const std::string> bases,
                                Strands strands) const;
  /// What the head reads of each sequence, as given: row-major [bases.size(), config().pooled_size()].
  std::vector<float> pooled(const model::Parameters& parameters, std::span<const std::string> bases) const;
  /// How many threads call score_here() at a time: with a GPU two, so that one reads, tokenises and writes while the
  /// other waits for the device.
  int threads() const { return device_.is_cpu() ? threads_ : std::min(threads_, 2); }
  /// Says once how many sequences were too long for the model.
  void report_truncated() const;

 private:
  enum class Output { scores, pooled };
  /// Row-major, in batches of similar lengths on the calling thread alone.
  std::vector<float> run_examples(const model::Parameters& parameters, std::vector<corpus::Example> examples,
                                  Output output) const;

  model_folder::ModelConfig config_;
  tokenizer::Encoder encoder_;
  at::Device device_;
  model::ForwardOptions forward_;
  int threads_;
  int64_t batch_tokens_, max_length_;
  double anchor_;
  mutable std::atomic<int64_t> truncated_{0}, examples_{0};
  mutable std::mutex queue_;  // held while a batch is queued on a GPU
};

/// `columns` numbers of each sequence: `run` on kPredictionChunk sequences at a time, on `threads` threads. The chunks, and
/// so the batches, are the same for any number of threads.
std::vector<float> in_chunks(std::span<const std::string> bases, int64_t columns, int threads,
                             const std::function<std::vector<float>(std::span<const std::string>)>& run);

/// While it lives, LibTorch's operations use one thread each: the threads are ours, one batch on each.
class OneThreadPerOperation {
 public:
  OneThreadPerOperation();
  ~OneThreadPerOperation();

 private:
  int before_;
};

/// Opens a model folder (or a run folder that holds one) whose head is `head`; Error saying what it is
/// instead and which command makes the one wanted.
model_folder::ModelFolder open_task_model(const std::string& path, const std::string& head);

/// The parameters on `device`, without gradients, ready for forward passes in `compute` (model::cast_for).
model::Parameters to_device(model::Parameters parameters, const at::Device& device, at::ScalarType compute);

/// p / (p + w (1 - p)): takes back that positives weighed `w` times in training, which inflated the odds w
/// times.
float correct_for_weight(float probability, double weight);
/// Rows of any number of labels: a weight each, or one for all.
void correct_for_weights(std::span<float> probabilities, std::span<const double> weights);

}  // namespace bigdna::session
