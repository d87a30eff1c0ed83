/// evaluate_chromatin() on random scores of two methods: bench_chromatin_evaluation ROWS FEATURES RESAMPLES.
/// 2 % of the labels are 1, and their scores a little higher; blocks as of two human chromosomes.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/log.h"
#include "base/rng.h"
#include "base/threads.h"
#include "evaluation/chromatin_evaluation.h"

int main(int argc, char** argv) {
  using namespace bigdna;
  if (argc != 4) return 2;
  const int64_t rows = std::atoll(argv[1]), features = std::atoll(argv[2]);
  rows::TaskRows data;
  data.task = &dataset::task_of("chromatin");
  data.folder = "random";
  for (int64_t f = 0; f < features; ++f)
    data.features.push_back({std::to_string(f), "-", "-", f < 125 ? "DHS" : f < 815 ? "TF" : "HM"});
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t start = 287'000'000 / rows * row;
    data.regions.push_back({"chr8", start, start + 200, '.'});
    data.splits.push_back(dataset::Split::test);
  }
  const auto label = [](int64_t row, int64_t feature) {
    return (static_cast<uint64_t>(row) * 0x9e3779b97f4a7c15 + static_cast<uint64_t>(feature) * 0xd1b54a32d192ed03) >>
           40 < (1u << 24) / 50;
  };
  data.label = label;
  const auto method = [&](uint64_t seed) {
    return [=](const std::vector<int64_t>& chunk) {
      std::vector<float> scores;
      for (const int64_t row : chunk) {
        Rng rng(seed, static_cast<uint64_t>(row));
        for (int64_t f = 0; f < features; ++f)
          scores.push_back(static_cast<float>(rng.uniform() + 0.3 * label(row, f)));
      }
      return scores;
    };
  };
  const std::vector<evaluation::Method> methods{{"one", method(1)}, {"two", method(2)}};
  evaluation::EvaluationOptions options;
  options.resamples = std::atoi(argv[3]);
  options.threads = available_threads();
  const auto result = evaluation::evaluate_chromatin(data, methods, options);
  std::fputs(result.table.c_str(), stdout);
  std::fprintf(stderr, "peak memory %.0f MB\n", static_cast<double>(log::peak_memory()) / 1e6);
}
