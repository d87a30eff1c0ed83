// Times bigdna's encoder: bench_encoder THREADS SIZE TOKENS PRECISION forward|training [recompute]
// [attention=TEXT] [stack=NAME] [backend=NAME], the last three as in pretrain's options. SIZE is base
// (12 layers, 768), small (4 layers, 256) or tiny (2 layers, 128), of bigbird, or with "modern-" before it of modern;
// blocks of 64 (tiny: 16), batch 1. Prints one TSV row, as run.sh's header names it. A process does one measurement,
// so that the peak memory is that measurement's own.
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/randn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/rng.h"
#include "mlm/mlm.h"
#include "model/attention/backend.h"
#include "model/runtime.h"
#include "model_folder/stack.h"
#include "train/optimiser.h"

using namespace bigdna;

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// The median of at least three runs over at least `seconds`, after one that is not counted; a single run
/// that takes a minute is enough.
double median(double seconds, const std::function<void()>& run) {
  std::vector<double> times;
  const double start = now();
  run();
  if (now() - start > 60) return now() - start;
  for (const double begin = now(); times.size() < 3 || now() - begin < seconds;) {
    const double before = now();
    run();
    times.push_back(now() - before);
  }
  std::nth_element(times.begin(), times.begin() + static_cast<int64_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

/// The yardstick of docs/benchmarks.md: a 4096 x 768 x 3072 product into a preallocated output, GFLOP/s.
double peak(at::ScalarType type) {
  const at::NoGradGuard guard;
  const at::Tensor a = at::randn({4096, 768}).to(type), b = at::randn({768, 3072}).to(type);
  at::Tensor c = at::empty({4096, 3072}, a.options());
  return 2e-9 * 4096 * 768 * 3072 / median(0.5, [&] { at::matmul_out(c, a, b); });
}

/// The work that the mathematics needs, in GFLOP: matrix products, and attention over the layout's blocks. modern's
/// training needs what follows the last layer's attention for masked tokens only.
double useful(const model_folder::ModelConfig& c, int64_t n, int64_t masked) {
  const auto plan = model::plan_attention(c.pattern, 0, c.heads, {n}, n);
  double pairs = 0;
  for (const auto& layout : plan.layouts) pairs += static_cast<double>(layout->pairs());
  const double attention = 4 * pairs * static_cast<double>(c.pattern.block * c.pattern.block * c.head_size());
  const bool modern = c.architecture == model_folder::Architecture::modern;
  const int64_t after_attention = c.hidden * (c.hidden + (modern ? 3 : 2) * c.ffn);
  const double products = 2.0 * static_cast<double>(n * (3 * c.hidden * c.hidden + after_attention));
  const double head = 2.0 * static_cast<double>(masked * c.hidden * (c.hidden + c.vocab_size));
  const double unread = modern && masked > 0 ? 2.0 * static_cast<double>((n - masked) * after_attention) : 0;
  return 1e-9 * (static_cast<double>(model_folder::layer_runs(c)) * (products + attention) + head - unread);
}

corpus::Example example(const model_folder::ModelConfig& config) {
  corpus::Example example;
  Rng rng(1, 0);
  for (int64_t t = 0; t < config.max_length; ++t) {
    example.ids.push_back(static_cast<int32_t>(5 + rng.below(static_cast<uint64_t>(config.vocab_size) - 5)));
    example.token_types.push_back(2 * t >= config.max_length);
    if (t % 20 < 3) {  // 15 %
      example.masked.push_back(static_cast<int32_t>(t));
      example.masked_labels.push_back(example.ids.back());
    }
  }
  example.targets = {1};
  return example;
}

/// What follows "name=" in one of the last arguments, or "".
std::string given(char** argv, int count, const std::string& name) {
  for (int i = 6; i < count; ++i)
    if (const std::string text = argv[i]; text.starts_with(name + "=")) return text.substr(name.size() + 1);
  return "";
}

void run(char** argv, int count) {
  const bool recompute =
      std::any_of(argv + 6, argv + count, [](const std::string& text) { return text == "recompute"; });
  const int threads = std::stoi(argv[1]);
  const std::string size = argv[2], precision = argv[4], what = argv[5];
  mlm::MlmModel model;
  auto& config = model.config;
  const bool modern = size.starts_with("modern-");
  config = model_folder::config_of(model_folder::preset(modern ? size.substr(7) : size),
                                   modern ? model_folder::Architecture::modern : model_folder::Architecture::bigbird);
  config.max_length = std::stoll(argv[3]);
  if (!size.ends_with("tiny")) config.pattern.block = 64;
  if (!size.ends_with("base")) config.dropout = config.attention_dropout = 0;
  const std::string attention = given(argv, count, "attention"), backend = given(argv, count, "backend");
  if (!attention.empty()) config.attention = model_folder::attention_from(attention, config.heads);
  const std::string stack = given(argv, count, "stack");
  if (!stack.empty()) config.stack = model_folder::stack_from(stack);
  model_folder::check(config);
  std::vector<tokenizer::Piece> pieces(static_cast<size_t>(config.vocab_size));
  for (size_t i = 0; i < pieces.size(); ++i) pieces[i] = {concat("ACGT", i), 0, i < 5};
  model.vocabulary = std::make_shared<tokenizer::Vocabulary>(std::move(pieces), tokenizer::SpecialTokens());
  model.placement.threads = threads;
  model.placement.compute = precision == "bf16" ? at::kBFloat16 : at::kFloat;
  model.recompute = recompute;
  if (!backend.empty()) model.placement.backend = backend;
  at::set_num_threads(threads);

  const double top = peak(model.placement.compute);
  auto parameters = model::initialise(config, 1);
  const std::vector<corpus::Example> examples{example(config)};
  const auto masked = static_cast<int64_t>(examples[0].masked.size());
  double seconds, gflop;
  if (what == "forward") {
    const at::NoGradGuard guard;
    const auto batch = model::make_batch(examples, config.pattern.block, config.pad_id, at::kCPU);
    seconds = median(5, [&] { model::encode(config, parameters, batch, model.placement.forward()); });
    gflop = useful(config, config.max_length, 0);
  } else {
    for (auto& [name, tensor] : parameters) tensor.requires_grad_(true);
    train::AdamW optimiser(parameters);
    const auto task = mlm::mlm_training_task(model);
    const train::BatchPart part{examples, 0, train::totals_of(examples)};
    seconds = median(5, [&] {
      train::forward_backward(task, parameters, part, 1, 1, at::kCPU);
      optimiser.update(parameters, 1e-5, {}, train::gradient_norm(parameters));
    });
    gflop = 3 * useful(config, config.max_length, masked);
  }
  std::printf("%s\t%ld\t%s\t%s\tbigdna%s%s%s%s\t%.4g\t%.4g\t%.0f\t%.0f\t%.2f\t%.0f\n", what.c_str(), config.max_length,
              size.c_str(), precision.c_str(), recompute ? " recompute" : "",
              (stack.empty() ? "" : " " + stack).c_str(), (attention.empty() ? "" : " " + attention).c_str(),
              (backend.empty() ? "" : " " + backend).c_str(), seconds, gflop, gflop / seconds, top,
              gflop / seconds / top, static_cast<double>(log::peak_memory()) / 1e6);
}

}  // namespace

int main(int count, char** argv) {
  if (count < 6)
    return std::fprintf(stderr,
                        "usage: bench_encoder THREADS SIZE TOKENS fp32|bf16 forward|training "
                        "[recompute] [attention=TEXT] [stack=NAME] [backend=NAME]\n"),
           2;
  try {
    model::start_runtime();
    run(argv, count);
  } catch (const std::exception& e) {
    return std::cerr << "bench_encoder: " << e.what() << "\n", 1;
  }
}
