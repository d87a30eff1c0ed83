// Times bigdna on a GPU; run.sh is the one command, which also prints other software's times.
//   bench_gpu attention TOKENS ... [--layouts FILE]   attention alone, batch 16, 12 heads of 64, blocks of 64, bf16
//   bench_gpu rows                                    the operations between the encoder's products, 65 536 rows in
//                                                     bf16, and LibTorch's (which add the bias inside the product)
//   bench_gpu step TOKENS BATCH [BACKEND [recompute]] a training step of the base model, bf16
//   bench_gpu longest                                 the longest sequence that trains (with --recompute), doubling
//                                                     from 65536
// Prints TSV rows. `floor` is the larger of useful work at 790 TFLOP/s and compulsory traffic at 4.3 TB/s (both
// measured on an H200); MFU is relative to the same 790. queued_ms: the time the CPU takes to queue a step's passes;
// CUDA graphs would pay if that is nearly the step's time.
#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/randperm.h>
#include <ATen/ops/zeros.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "kernels/cuda_plugin.h"
#include "model/attention/backend.h"
#include "model/dropout.h"
#include "model/encoder.h"
#include "model/fused_rows.h"
#include "model/runtime.h"
#include "train/optimiser.h"

using namespace bigdna;

namespace {

constexpr double kFlops = 790e12, kBytes = 4.3e12;
const at::Device kGpu(at::kCUDA, 0);

/// The median over half a second, after three runs that are not counted; milliseconds. Short runs are queued and timed
/// several at a time, or the GPU would wait for the first of them to be queued.
double median(const std::function<void()>& run, double seconds = 0.5) {
  const c10::Stream stream = c10::impl::VirtualGuardImpl(at::kCUDA).getStream(kGpu);
  std::vector<double> times;
  double sum = 0;
  int at_a_time = 1;
  for (int i = 0; i < 6 || (sum < seconds * 1e3 && times.size() < 300); ++i) {
    c10::Event start(at::kCUDA, c10::EventFlag::BACKEND_DEFAULT), end(at::kCUDA, c10::EventFlag::BACKEND_DEFAULT);
    start.record(stream);
    for (int j = 0; j < at_a_time; ++j) run();
    end.record(stream);
    end.synchronize();
    const double ms = start.elapsedTime(end);
    if (i == 2) at_a_time = std::clamp(static_cast<int>(20 / ms), 1, 20);
    if (i < 3) continue;
    times.push_back(ms / at_a_time);
    sum += ms;
  }
  std::nth_element(times.begin(), times.begin() + static_cast<int64_t>(times.size()) / 2, times.end());
  return times[times.size() / 2];
}

double pairs_of(const model::AttentionPlan& plan) {
  double pairs = 0;
  for (const auto& layout : plan.layouts) pairs += static_cast<double>(layout->pairs());
  return pairs;
}

void time_attention(int64_t tokens, std::ofstream* layouts) {
  constexpr int64_t batch = 16, heads = 12, size = 64;
  const sparsity::PatternConfig pattern;  // blocks of 64, g = 2, w = 3, r = 3
  const auto plan = model::plan_attention(pattern, 0, heads, std::vector<int64_t>(batch, tokens), tokens);
  if (layouts)
    for (int64_t head = 0; head < heads; ++head)
      for (int64_t row = 0; row < plan.layouts[static_cast<size_t>(head)]->blocks; ++row) {
        *layouts << tokens << ' ' << head << ' ' << row;
        for (const int32_t key : plan.layouts[static_cast<size_t>(head)]->keys_of(row)) *layouts << ' ' << key;
        *layouts << '\n';
      }
  const double flops = 4 * pairs_of(plan) * pattern.block * pattern.block * size,
               tensor = 2.0 * batch * heads * tokens * size;
  const auto make = [&] {
    return at::randn({batch, tokens, heads, size}, at::device(kGpu)).to(at::kBFloat16).permute({0, 2, 1, 3});
  };
  std::vector<at::Tensor> qkv{make(), make(), make()};
  const at::Tensor grad = make();
  for (at::Tensor& x : qkv) x.requires_grad_();
  for (const bool dropout : {false, true}) {
    const model::AttentionOptions options{dropout ? 0.1 : 0, 7, 1};
    const auto run = model::backend("fused").run;
    const double forward = median([&] {
      const at::NoGradGuard guard;
      run(qkv[0], qkv[1], qkv[2], plan, options);
    });
    const double both = median([&] {
      run(qkv[0], qkv[1], qkv[2], plan, options).backward(grad);
      for (at::Tensor& x : qkv) x.mutable_grad().reset();
    });
    const double floor = 1e3 * std::max(flops / kFlops, 4 * tensor / kBytes),
                 floor_both = 1e3 * std::max(3.5 * flops / kFlops, 12 * tensor / kBytes);
    std::printf("%ld\tbigdna%s\t%.3f\t%.3f\t%.0f\t%.0f\t%.0f%%\t%.0f%%\n", tokens, dropout ? ", dropout 0.1" : "",
                forward, both, flops / forward / 1e9, 3.5 * flops / both / 1e9, 100 * floor / forward,
                100 * floor_both / both);
    std::fflush(stdout);
  }
}

/// Milliseconds of the forward pass and of both passes, relative to the time that the least traffic takes, which is
/// given as a number of passes over x.
void time_rows(const char* what, const char* software, double bytes, double passes, double passes_both,
               const std::vector<at::Tensor>& leaves, const at::Tensor& grad, const std::function<at::Tensor()>& run,
               bool sum_for_bias) {
  const double forward = median([&] {
    const at::NoGradGuard guard;
    run();
  });
  const double both = median([&] {
    run().backward(grad);
    if (sum_for_bias) leaves[0].grad().sum(0);
    for (const at::Tensor& x : leaves) x.mutable_grad().reset();
  });
  std::printf("%s\t%s\t%.3f\t%.3f\t%.0f%%\t%.0f%%\n", what, software, forward, both,
              100 * 1e3 * passes * bytes / kBytes / forward, 100 * 1e3 * passes_both * bytes / kBytes / both);
  std::fflush(stdout);
}
void time_rows() {
  constexpr int64_t rows = 65536, hidden = 768, ffn = 3072;
  const auto make = [](at::IntArrayRef shape, at::ScalarType type) {
    return at::randn(shape, at::device(kGpu)).to(type).requires_grad_();
  };
  {
    const at::Tensor x = make({rows, hidden}, at::kBFloat16), residual = make({rows, hidden}, at::kBFloat16),
                     grad = make({rows, hidden}, at::kBFloat16).detach();
    const at::Tensor bias = make({hidden}, at::kFloat), weight = make({hidden}, at::kFloat),
                     shift = make({hidden}, at::kFloat);
    const double bytes = 2.0 * rows * hidden;
    time_rows(
        "residual, dropout 0.1, LayerNorm", "bigdna", bytes, 3, 8, {x, residual, bias, weight, shift}, grad,
        [&] {
          return model::residual_norm(x.view({rows, hidden}), bias, residual, weight, shift, 1e-12, 0.1, 7);
        },
        false);
    time_rows(
        "residual, dropout 0.1, LayerNorm", "LibTorch", bytes, 3, 8, {x, residual, weight, shift}, grad,
        [&] {
          return at::layer_norm(model::dropout(x, 0.1, 7) + residual, {hidden}, weight.to(at::kBFloat16),
                                shift.to(at::kBFloat16), 1e-12);
        },
        true);
  }
  const at::Tensor x = make({rows, ffn}, at::kBFloat16), bias = make({ffn}, at::kFloat),
                   grad = make({rows, ffn}, at::kBFloat16).detach();
  const double bytes = 2.0 * rows * ffn;
  const auto ours = [&](const at::Tensor& of) { return model::bias_gelu(of, bias); };
  time_rows(
      "bias, GELU", "bigdna", bytes, 2, 5, {x, bias}, grad,
      [&] { return at::GradMode::is_enabled() ? ours(x) : ours(x.detach()); }, false);
  time_rows(
      "bias, GELU", "LibTorch", bytes, 2, 5, {x}, grad, [&] { return at::gelu(x, "tanh"); }, true);
}

/// The base model, `batch` random examples, forward, backward and AdamW as pretraining does them.
void time_step(int64_t tokens, int64_t batch, const std::string& backend, bool recompute, double seconds) {
  model_folder::ModelConfig config = model_folder::config_of(model_folder::preset("base"));
  config.max_length = std::max(config.max_length, tokens);
  model::Parameters parameters;
  for (auto& [name, value] : model::initialise(config, 1)) parameters[name] = value.to(kGpu).requires_grad_();
  train::AdamW optimiser(parameters);
  model::Batch examples;
  const auto longs = at::device(kGpu).dtype(at::kLong);
  const int64_t masked = batch * tokens * 15 / 100;
  examples.ids = at::randint(5, config.vocab_size, {batch, tokens}, longs);
  examples.token_types = at::zeros({batch, tokens}, longs);
  examples.masked = std::get<0>(at::randperm(batch * tokens, longs).narrow(0, 0, masked).sort());
  examples.masked_labels = at::randint(5, config.vocab_size, {masked}, longs);
  examples.lengths.assign(static_cast<size_t>(batch), tokens);
  examples.targets = at::zeros({batch, 1}, longs.dtype(at::kFloat));
  model::ForwardOptions options;
  options.backend = backend;
  options.training = true;
  options.compute = at::kBFloat16;
  options.recompute = recompute;
  auto* allocator = c10::getDeviceAllocator(at::kCUDA);
  allocator->resetPeakStats(0);
  const auto gradients = [&] {
    options.dropout_seed += 1;
    const model::Parameters cast = model::cast_for(config, parameters, options.compute);
    const auto rows = model::encode_pretraining(config, cast, examples, options);
    at::Tensor loss = model::mlm_scores(config, cast, rows.masked, examples.masked_labels, options).nats.mean();
    loss = loss + at::cross_entropy_loss(model::nsp_logits(config, cast, rows.first).to(at::kFloat),
                                         at::zeros({batch}, longs));
    loss.backward();
  };
  const auto step = [&] {
    gradients();
    optimiser.update(parameters, 1e-4, {}, train::gradient_norm(parameters));
  };
  const double ms = median(step, seconds);
  const auto begun = std::chrono::steady_clock::now();
  gradients();
  const std::chrono::duration<double, std::milli> queued = std::chrono::steady_clock::now() - begun;
  const double tokens_all = static_cast<double>(batch * tokens), hidden = config.hidden, layers = config.layers;
  const auto plan = model::plan_attention(config.pattern, 0, config.heads, examples.lengths, tokens);
  const double forward =
      tokens_all * layers * (8 * hidden * hidden + 4 * hidden * config.ffn) +
      layers * 4 * pairs_of(plan) * config.pattern.block * config.pattern.block * config.head_size() +
      2.0 * masked * hidden * (config.vocab_size + hidden);
  const auto stats = allocator->getDeviceStats(0);
  std::printf("%ld\t%ld\tbigdna %s%s\t%.1f\t%.0f\t%.1f%%\t%.1f\t%.1f\n", tokens, batch, backend.c_str(),
              recompute ? ", recompute" : "", ms, tokens_all / ms * 1e3, 100 * 3 * forward / (ms * 1e-3) / kFlops,
              static_cast<double>(stats.allocated_bytes[0].peak) / 1e9, queued.count());
  std::fflush(stdout);
}

int usage() {
  std::fprintf(stderr,
               "usage: bench_gpu attention TOKENS ... [--layouts FILE] | rows | step TOKENS BATCH [BACKEND "
               "[recompute]] | longest\n");
  return 2;
}

}  // namespace

int main(int count, char** arguments) {
  const auto& cuda = kernels::cuda_plugin();  // before LibTorch
  if (!cuda.table) return std::fprintf(stderr, "bench_gpu: %s\n", cuda.reason.c_str()), 77;
  model::start_runtime();
  std::vector<std::string> words(arguments + 1, arguments + count);
  if (words.empty()) return usage();
  const std::string what = words[0];
  words.erase(words.begin());
  if (what == "attention" && !words.empty()) {
    std::ofstream layouts;
    if (const auto at = std::find(words.begin(), words.end(), "--layouts"); at != words.end()) {
      if (at + 1 == words.end()) return usage();
      layouts.open(at[1]);
      words.erase(at, at + 2);
    }
    for (const std::string& tokens : words) time_attention(std::stol(tokens), layouts.is_open() ? &layouts : nullptr);
  } else if (what == "rows") {
    time_rows();
  } else if (what == "step" && words.size() >= 2) {
    time_step(std::stol(words[0]), std::stol(words[1]), words.size() > 2 ? words[2] : "auto",
              words.size() > 3 && words[3] == "recompute", 5);
  } else if (what == "longest") {
    for (int64_t tokens = 65536;; tokens *= 2) try {
        time_step(tokens, 1, "auto", true, 0);
      } catch (const c10::OutOfMemoryError&) {
        return std::printf("%ld\t1\tbigdna auto, recompute\tout of memory\n", tokens), 0;
      } catch (const c10::Error& error) {  // cuBLAS and the driver say it in other words
        return std::printf("%ld\t1\tbigdna auto, recompute\t%s\n", tokens, error.what_without_backtrace()), 0;
      }
  } else {
    return usage();
  }
}
