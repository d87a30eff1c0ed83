#include "tasks/classifier.h"

#include <ATen/Parallel.h>
#include <ATen/ops/sigmoid.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/log.h"
#include "base/threads.h"
#include "genome/alphabet.h"
#include "model/device.h"
#include "tasks/length_batches.h"

namespace bigdna::tasks {

corpus::Example make_example(const tokenizer::Encoder& encoder, std::string_view bases, int64_t max_length,
                             double anchor, std::atomic<int64_t>& truncated, std::vector<int64_t>* begins) {
  const auto encoding = encoder.encode(bases);
  const auto count = static_cast<int64_t>(encoding.size()), room = max_length - 2;
  int64_t first = 0;
  if (count > room) {
    ++truncated;
    const auto middle = std::upper_bound(encoding.begins.begin(), encoding.begins.end(),
                                         static_cast<int64_t>(anchor * static_cast<double>(bases.size()))) -
                        encoding.begins.begin() - 1;
    first = std::clamp<int64_t>(middle - room / 2, 0, count - room);
  }
  const auto& special = encoder.vocabulary().special();
  corpus::Example example;
  example.ids.reserve(static_cast<size_t>(std::min(count, room)) + 2);
  example.ids.push_back(special.cls);
  example.ids.insert(example.ids.end(), encoding.ids.begin() + first,
                     encoding.ids.begin() + first + std::min(count, room));
  example.ids.push_back(special.sep);
  example.token_types.assign(example.ids.size(), 0);
  if (begins)
    begins->assign(encoding.begins.begin() + first, encoding.begins.begin() + first + std::min(count, room) + 1);
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

std::vector<float> Classifier::score_examples(const model::Parameters& parameters,
                                              const std::vector<corpus::Example>& examples) const {
  c10::NoGradGuard no_grad;
  auto options = forward_;
  if (device_.is_cpu()) options.threads = 1;
  const auto batch = model::make_batch(examples, config_.pattern.block, config_.pad_id, device_);
  const auto logits =
      model::task_logits(config_, parameters, model::encode(config_, parameters, batch, options), batch, options);
  const auto values = at::sigmoid(logits.to(at::kFloat)).to(at::kCPU).contiguous();
  return {values.const_data_ptr<float>(), values.const_data_ptr<float>() + values.numel()};
}

std::vector<float> Classifier::score_here(const model::Parameters& parameters,
                                          std::span<const std::string> bases, Strands strands) const {
  const auto labels = static_cast<size_t>(config_.labels);
  std::vector<corpus::Example> examples;
  for (const auto& sequence : bases) examples.push_back(example(sequence));
  if (strands == Strands::average)
    for (const auto& sequence : bases)
      examples.push_back(example(genome::reverse_complement(sequence), true));

  std::vector<int64_t> lengths;
  for (const auto& each : examples) lengths.push_back(static_cast<int64_t>(each.ids.size()));
  std::vector<float> all(examples.size() * labels);
  for (const auto& indices : length_batches(lengths, config_, batch_tokens_)) {
    std::vector<corpus::Example> batch;
    for (const size_t i : indices) batch.push_back(std::move(examples[i]));
    const auto values = score_examples(parameters, batch);
    for (size_t i = 0; i < indices.size(); ++i)
      std::copy_n(values.begin() + static_cast<int64_t>(i * labels), labels,
                  all.begin() + static_cast<int64_t>(indices[i] * labels));
  }
  if (strands == Strands::average) {
    const size_t half = all.size() / 2;
    for (size_t i = 0; i < half; ++i) all[i] = (all[i] + all[half + i]) / 2;
    all.resize(half);
  }
  return all;
}

std::vector<float> Classifier::score(const model::Parameters& parameters, std::span<const std::string> bases,
                                     Strands strands) const {
  constexpr size_t kChunk = 32;  // fixed, so that batches are the same for any number of threads
  const auto labels = static_cast<size_t>(config_.labels);
  std::vector<float> all(bases.size() * labels);
  const auto cast = model::cast_for(parameters, forward_.compute);
  const OneThreadPerOperation guard;
  parallel_for(static_cast<int64_t>((bases.size() + kChunk - 1) / kChunk), device_.is_cpu() ? threads_ : 1,
               [&](int64_t chunk) {
                 const size_t begin = static_cast<size_t>(chunk) * kChunk;
                 const auto values = score_here(
                     cast, bases.subspan(begin, std::min(kChunk, bases.size() - begin)), strands);
                 std::copy(values.begin(), values.end(), all.begin() + static_cast<int64_t>(begin * labels));
               });
  return all;
}

void Classifier::report_truncated() const {
  if (truncated_)
    log::warn(truncated_, " of ", examples_, " sequences read had more than ", max_length_,
              " tokens and were cut around their start site or bin");
}

OneThreadPerOperation::OneThreadPerOperation() : before_(at::get_num_threads()) { at::set_num_threads(1); }
OneThreadPerOperation::~OneThreadPerOperation() { at::set_num_threads(before_); }

std::string model_path(const std::string& path) {
  namespace fs = std::filesystem;
  return fs::exists(path + "/" + io::manifest_name("run")) ||
                 (!fs::exists(path + "/config.json") && fs::exists(path + "/model/config.json"))
             ? path + "/model"
             : path;
}

model_folder::ModelFolder open_task_model(const std::string& path, const std::string& head) {
  auto folder = model_folder::ModelFolder::open(model_path(path));
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

}  // namespace bigdna::tasks
