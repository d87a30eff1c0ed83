#include "session/classifier.h"

#include <ATen/Parallel.h>
#include <ATen/ops/sigmoid.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/log.h"
#include "base/threads.h"
#include "genome/alphabet.h"
#include "model/cuda_launch.h"
#include "model/device.h"
#include "session/length_batches.h"

namespace bigdna::session {

corpus::Example make_example(const tokenizer::Encoder& encoder, std::string_view bases, int64_t max_length,
                             double anchor, std::atomic<int64_t>& truncated, std::vector<int64_t>* begins) {
  return make_example(encoder.vocabulary().special(), encoder.encode(bases), max_length, anchor, truncated, begins);
}

corpus::Example make_example(const tokenizer::SpecialTokens& special, const tokenizer::Encoding& encoding, int64_t max_length,
                             double anchor, std::atomic<int64_t>& truncated, std::vector<int64_t>* begins) {
  const int64_t length = encoding.begins.back();  // bases
  const auto count = static_cast<int64_t>(encoding.size()), room = max_length - 2;
  int64_t first = 0;
  if (count > room) {
    ++truncated;
    const auto middle = std::upper_bound(encoding.begins.begin(), encoding.begins.end(),
                                         static_cast<int64_t>(anchor * static_cast<double>(length))) -
                        encoding.begins.begin() - 1;
    first = std::clamp<int64_t>(middle - room / 2, 0, count - room);
  }
  corpus::Example example;
  example.ids.reserve(static_cast<size_t>(std::min(count, room)) + 2);
  example.ids.push_back(special.cls);
  example.ids.insert(example.ids.end(), encoding.ids.begin() + first,
                     encoding.ids.begin() + first + std::min(count, room));
  example.ids.push_back(special.sep);
  example.token_types.assign(example.ids.size(), 0);
  const auto kept = encoding.begins.begin() + first, kept_end = kept + std::min(count, room);
  if (begins) begins->assign(kept, kept_end + 1);
  const auto site = std::clamp<int64_t>(std::llround(anchor * static_cast<double>(length)), 0, std::max<int64_t>(0, length - 1));
  for (const int64_t width : model_folder::kPoolScales) {
    if (kept == kept_end) {  // no bases: [CLS] and [SEP]
      example.scales.push_back({0, 2});
      continue;
    }
    // from the token that covers the first base to the one that covers the last, behind [CLS]
    auto from = std::upper_bound(kept, kept_end, std::max<int64_t>(0, site - width / 2));
    if (from != kept) --from;
    const auto to = std::max(std::lower_bound(kept, kept_end, site + width / 2), from + 1);
    example.scales.push_back({static_cast<int32_t>(from - kept) + 1, static_cast<int32_t>(to - kept) + 1});
  }
  return example;
}

Classifier::Classifier(const model_folder::ModelConfig& config, const tokenizer::Vocabulary& vocabulary,
                       const RunOptions& options)
    : config_(config),
      encoder_(vocabulary),
      device_(model::select_device(options.device)),
      threads_(options.threads) {
  model::configure_threads(options.threads);
  forward_.backend = options.backend;
  forward_.threads = options.threads;
  forward_.compute = model::select_precision(options.precision, device_);
  batch_tokens_ = options.batch_tokens;
  anchor_ = options.anchor;
  max_length_ = options.max_length ? std::min(options.max_length, config.max_length) : config.max_length;
}

std::vector<float> Classifier::run_examples(const model::Parameters& parameters, std::vector<corpus::Example> examples,
                                            Output output) const {
  c10::NoGradGuard no_grad;
  auto options = forward_;
  if (device_.is_cpu()) options.threads = 1;
  std::vector<int64_t> lengths;
  for (const auto& each : examples) lengths.push_back(static_cast<int64_t>(each.ids.size()));
  const int64_t columns = output == Output::pooled ? config_.pooled_size() : config_.labels;
  std::vector<float> all(examples.size() * static_cast<size_t>(columns));
  for (const auto& indices : length_batches(lengths, config_, batch_tokens_)) {
    std::vector<corpus::Example> chosen;
    for (const size_t i : indices) chosen.push_back(std::move(examples[i]));
    std::unique_lock queue(queue_, std::defer_lock);  // with a GPU, batches of two threads follow each other whole
    if (!device_.is_cpu()) queue.lock();
    const auto batch = model::make_batch(chosen, config_.pattern.block, config_.pad_id, device_);
    const auto hidden = model::encode(config_, parameters, batch, options);
    model::ToHost queued(output == Output::pooled
                             ? model::pooled(config_, hidden, batch)
                             : at::sigmoid(model::task_logits(config_, parameters, hidden, batch, options).to(at::kFloat)));
    if (queue) queue.unlock();
    const at::Tensor& values = queued.get();
    for (size_t i = 0; i < indices.size(); ++i)
      std::copy_n(values.const_data_ptr<float>() + static_cast<int64_t>(i) * columns, columns,
                  all.begin() + static_cast<int64_t>(indices[i]) * columns);
  }
  return all;
}

std::vector<float> Classifier::score_here(const model::Parameters& parameters,
                                          std::span<const std::string> bases, Strands strands) const {
  std::vector<corpus::Example> examples;
  for (const auto& sequence : bases) examples.push_back(example(sequence));
  if (strands == Strands::average)
    for (const auto& sequence : bases)
      examples.push_back(example(genome::reverse_complement(sequence), true));
  auto all = run_examples(parameters, std::move(examples), Output::scores);
  if (strands == Strands::average) {
    const size_t half = all.size() / 2;
    for (size_t i = 0; i < half; ++i) all[i] = (all[i] + all[half + i]) / 2;
    all.resize(half);
  }
  return all;
}

std::vector<float> in_chunks(std::span<const std::string> bases, int64_t columns, int threads,
                             const std::function<std::vector<float>(std::span<const std::string>)>& run) {
  constexpr auto kChunk = static_cast<size_t>(kPredictionChunk);
  std::vector<float> all(bases.size() * static_cast<size_t>(columns));
  const OneThreadPerOperation guard;
  parallel_for(static_cast<int64_t>((bases.size() + kChunk - 1) / kChunk), threads, [&](int64_t chunk) {
    const size_t begin = static_cast<size_t>(chunk) * kChunk;
    const auto values = run(bases.subspan(begin, std::min(kChunk, bases.size() - begin)));
    std::copy(values.begin(), values.end(), all.begin() + static_cast<int64_t>(begin) * columns);
  });
  return all;
}

std::vector<float> Classifier::score(const model::Parameters& parameters, std::span<const std::string> bases,
                                     Strands strands) const {
  const auto cast = model::cast_for(parameters, forward_.compute);
  return in_chunks(bases, config_.labels, threads(), [&](auto part) { return score_here(cast, part, strands); });
}

std::vector<float> Classifier::pooled(const model::Parameters& parameters, std::span<const std::string> bases) const {
  const auto cast = model::cast_for(parameters, forward_.compute);
  return in_chunks(bases, config_.pooled_size(), threads(), [&](auto part) {
    std::vector<corpus::Example> examples;
    for (const auto& sequence : part) examples.push_back(example(sequence));
    return run_examples(cast, std::move(examples), Output::pooled);
  });
}

void Classifier::report_truncated() const {
  if (truncated_)
    log::warn(truncated_, " of ", examples_, " sequences read had more than ", max_length_,
              " tokens and were cut around their start site or bin");
}

OneThreadPerOperation::OneThreadPerOperation() : before_(at::get_num_threads()) { at::set_num_threads(1); }
OneThreadPerOperation::~OneThreadPerOperation() { at::set_num_threads(before_); }

model_folder::ModelFolder open_task_model(const std::string& path, const std::string& head) {
  auto folder = model_folder::ModelFolder::open(path);
  if (folder.config.head != head)
    fail(folder.path, ": its head is '", folder.config.head, "', not '", head, "' (bigdna finetune ", head,
         " makes such a model)");
  return folder;
}

model::Parameters to_device(model::Parameters parameters, const at::Device& device, at::ScalarType compute) {
  for (auto& [name, tensor] : parameters) tensor = tensor.detach().to(device);
  return model::cast_for(parameters, compute);
}

float correct_for_weight(float probability, double weight) {
  const double p = probability;
  return static_cast<float>(p / (p + weight * (1 - p)));
}

void correct_for_weights(std::span<float> probabilities, std::span<const double> weights) {
  for (size_t i = 0; i < probabilities.size(); ++i)
    probabilities[i] = correct_for_weight(probabilities[i], weights[i % weights.size()]);
}

}  // namespace bigdna::session
