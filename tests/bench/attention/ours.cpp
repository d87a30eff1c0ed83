// Times bigdna's attention backends: bench_attention THREADS "SHAPE ..." "BACKEND ...", where a SHAPE is
// batch x heads x head_size x block x tokens, e.g. 1x12x64x64x4096. Prints a TSV row per shape, backend and
// type. Tensors are laid out as in the encoder, with the heads of a token side by side, and once (fused) head by
// head, to show the cost of that. tests/bench/attention/run.sh is the one command; it also prints other software's
// times.
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
#include <sstream>
#include <string>
#include <vector>

#include "kernels/attention.h"
#include "model/attention/backend.h"
#include "model/runtime.h"

using namespace bigdna;

namespace {

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// The median of runs over about a second, at least three, after one that is not counted; milliseconds.
double median(const std::function<void()>& run) {
  run();
  std::vector<double> times;
  for (const double start = seconds(); times.size() < 3 || (seconds() - start < 1 && times.size() < 200);) {
    const double before = seconds();
    run();
    times.push_back((seconds() - before) * 1e3);
  }
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

struct Shape {
  int64_t batch = 1, heads = 12, head_size = 64, block = 64, tokens = 4096;
};

/// [batch, heads, n, head_size].
at::Tensor random(const Shape& shape, at::ScalarType type, bool by_head) {
  if (by_head) return at::randn({shape.batch, shape.heads, shape.tokens, shape.head_size}).to(type);
  return at::randn({shape.batch, shape.tokens, shape.heads, shape.head_size}).to(type).permute({0, 2, 1, 3});
}

void time_backend(const Shape& shape, const std::string& name, at::ScalarType type, int threads, bool by_head) {
  sparsity::PatternConfig pattern;  // g = 2, w = 3, r = 3
  pattern.block = shape.block;
  const model::AttentionPlan plan =
      model::plan_attention(pattern, 0, shape.heads, std::vector<int64_t>(shape.batch, shape.tokens), shape.tokens);
  double pairs = 0;
  for (const auto& layout : plan.layouts) pairs += static_cast<double>(layout->pairs());
  const double gflop = 4e-9 * pairs * static_cast<double>(shape.block * shape.block * shape.head_size);
  std::vector<at::Tensor> qkv;
  for (int i = 0; i < 3; ++i) qkv.push_back(random(shape, type, by_head).detach().requires_grad_());
  const at::Tensor grad = random(shape, type, by_head);
  const auto run = model::backend(name).run;
  const model::AttentionOptions options{0, 0, threads};
  const double forward = median([&] {
    const at::NoGradGuard guard;
    run(qkv[0], qkv[1], qkv[2], plan, options);
  });
  const double both = median([&] {
    run(qkv[0], qkv[1], qkv[2], plan, options).backward(grad);
    for (at::Tensor& x : qkv) x.mutable_grad().reset();
  });
  std::printf("%ldx%ldx%ldx%ldx%ld\tbigdna %s%s\t%s\t%.2f\t%.2f\t%.0f\t%.0f\n", shape.batch, shape.heads,
              shape.head_size, shape.block, shape.tokens, name.c_str(), by_head ? ", head by head" : "",
              type == at::kFloat ? "fp32" : "bf16", forward, both, gflop / forward * 1e3, 3.5 * gflop / both * 1e3);
  std::fflush(stdout);
}

/// The yardstick of docs/benchmarks.md: a 4096 x 768 x 3072 product into a preallocated output, GFLOP/s.
double peak(at::ScalarType type) {
  const at::NoGradGuard guard;
  const at::Tensor a = at::randn({4096, 768}).to(type), b = at::randn({768, 3072}).to(type);
  at::Tensor c = at::empty({4096, 3072}, a.options());
  return 2.0 * 4096 * 768 * 3072 / median([&] { at::matmul_out(c, a, b); }) / 1e6;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return std::fprintf(stderr, "usage: bench_attention THREADS \"SHAPE ...\" \"BACKEND ...\"\n"), 2;
  model::start_runtime();
  const int threads = std::stoi(arguments[1]);
  at::set_num_threads(threads);
  std::printf("# %d threads, kernels %s, bf16 by %s, peak %.0f GFLOP/s fp32, %.0f bf16\n", threads,
              kernels::cpu_target(), kernels::cpu_bf16_products(), peak(at::kFloat), peak(at::kBFloat16));
  std::printf("#shape\tsoftware\ttype\tforward_ms\tforward_backward_ms\tforward_gflops\tforward_backward_gflops\n");
  std::istringstream shapes(arguments[2]);
  for (std::string text; shapes >> text;) {
    Shape shape;
    if (std::sscanf(text.c_str(), "%ldx%ldx%ldx%ldx%ld", &shape.batch, &shape.heads, &shape.head_size, &shape.block,
                    &shape.tokens) != 5)
      return std::fprintf(stderr, "not a shape: %s\n", text.c_str()), 2;
    std::istringstream backends(arguments[3]);
    for (std::string name; backends >> name;)
      for (const auto type : {at::kFloat, at::kBFloat16})
        for (const bool by_head : {false, true})
          if (name == "fused" || (type == at::kFloat && !by_head)) time_backend(shape, name, type, threads, by_head);
  }
}
