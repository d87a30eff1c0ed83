/// Seconds of the logistic regressions on k-mers that finetune fits: bench_linear DATASET FEATURES ROWS
/// THREADS [DUMP.safetensors] Rows, k-mers, folds and the first features are the dataset's (bigdna dataset
/// chromatin). Where it has fewer than FEATURES, further ones are its own again, each with a random half to
/// all of its positives: as rare and as learnable as real ones.
#include <ATen/ops/empty.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "base/log.h"
#include "base/rng.h"
#include "base/threads.h"
#include "linear/kmer_fit.h"
#include "linear/linear_fit.h"
#include "rows/dataset_rows.h"
#include "io/safetensors.h"
#include "metrics/classification.h"
#include "models/kmer_model.h"

namespace {
using namespace bigdna;

struct Clock {
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
  std::clock_t used = std::clock();
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count(); }
  double processor() const { return static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC; }
};

double auroc(const at::Tensor& scores, const at::Tensor& labels, int64_t feature) {
  const at::Tensor s = scores.select(1, feature).contiguous(), y = labels.select(1, feature).contiguous();
  std::vector<uint8_t> truth;
  for (int64_t i = 0; i < y.numel(); ++i) truth.push_back(y.const_data_ptr<float>()[i] != 0);
  return metrics::Ranking({s.const_data_ptr<float>(), static_cast<size_t>(s.numel())}, truth).auroc();
}
}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const int64_t features = std::atoll(argv[2]), most = std::atoll(argv[3]);
  const int threads = std::atoi(argv[4]);
  const auto data = rows::chromatin_rows(argv[1], "");
  const auto rows = data.of(dataset::Split::train, most);
  const auto counts = linear::kmer_counts(data);
  const auto count = static_cast<int64_t>(rows.size());
  at::Tensor x = at::empty({count, counts.columns()}), y = at::empty({count, features});
  auto *kmers = x.mutable_data_ptr<float>(), *labels = y.mutable_data_ptr<float>();
  const Clock counting;
  parallel_for(count, threads, [&](int64_t i) {
    const auto row = counts.values(data.bases(rows[static_cast<size_t>(i)]), data.anchor());
    std::copy(row.begin(), row.end(), kmers + i * counts.columns());
  });
  std::printf("rows %ld columns %ld features %ld threads %d: counting %.1f s, ", count, x.size(1), features, threads,
              counting.seconds());
  for (int64_t f = 0; f < features; ++f) {
    Rng rng(1, static_cast<uint64_t>(f));
    const double kept = f < data.labels() ? 1 : 0.5 + 0.5 * rng.uniform();
    for (int64_t i = 0; i < count; ++i) {
      const bool keep = rng.uniform() < kept;
      labels[i * features + f] = keep ? data.label(rows[static_cast<size_t>(i)], f % data.labels()) : 0;
    }
  }
  const auto folds = data.folds_of(rows);
  const Clock fitting;
  const auto fit = linear::fit_linear(x, y, folds, dataset::LabelType::multilabel, threads);
  std::printf("fitting %.1f s (%.1f processor s), ", fitting.seconds(), fitting.processor());
  double mean = 0;
  for (int64_t f = 0; f < features; ++f) mean += auroc(fit.out_of_fold, y, f) / static_cast<double>(features);
  std::printf("mean out-of-fold AUROC %.4f, peak %.0f MB\n", mean, static_cast<double>(log::peak_memory()) / 1e6);
  if (argc < 6) return 0;
  const auto array = [](const char* name, const at::Tensor& values) {  // of contiguous tensors
    return io::array<float>(name, {values.const_data_ptr<float>(), static_cast<size_t>(values.numel())},
                            values.sizes().vec());
  };
  io::write_safetensors(
      argv[5], {array("x", x), array("y", y), array("weight", fit.models.weight), array("bias", fit.models.bias),
                array("out_of_fold", fit.out_of_fold), io::array<int64_t>("folds", folds, {count})});
}
