#include "classification/kmer_baseline.h"

#include <cmath>
#include <limits>
#include <memory>

#include "base/threads.h"
#include "metrics/kmer_frequencies.h"

namespace bigdna::classification {

namespace {
std::vector<float> baseline_features(const TaskRows& data, const std::string& bases) {
  if (!data.both_strands) return metrics::kmer_frequencies(bases, 5);
  const auto bin = static_cast<size_t>(data.upstream);
  const auto around = [&](size_t flank) {
    const size_t start = bin > flank ? bin - flank : 0;
    return std::string_view(bases).substr(start, bin + dataset::kBin + flank - start);
  };
  std::vector<float> all;
  for (const auto part : {around(0), around(400), std::string_view(bases)}) {
    const auto values = metrics::kmer_frequencies(part, 4, true);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

metrics::FeatureMatrix baseline_matrix(const TaskRows& data, const std::vector<int64_t>& rows, int threads) {
  std::vector<std::vector<float>> values(rows.size());
  parallel_for(static_cast<int64_t>(rows.size()), threads, [&](int64_t i) {
    values[static_cast<size_t>(i)] = baseline_features(data, data.bases(rows[static_cast<size_t>(i)]));
  });
  metrics::FeatureMatrix matrix;
  for (const auto& row : values) matrix.values.insert(matrix.values.end(), row.begin(), row.end());
  matrix.rows = static_cast<int64_t>(rows.size());
  matrix.columns = values.empty() ? 0 : static_cast<int64_t>(values.front().size());
  return matrix;
}
}  // namespace

KmerBaseline::KmerBaseline(const TaskRows& data, int threads)
    : data_(data),
      threads_(threads),
      models_(fit_linear_models(
          data, [&](const std::vector<int64_t>& rows) { return baseline_matrix(data, rows, threads); }, threads)) {}

std::vector<float> KmerBaseline::score(const std::vector<int64_t>& rows) const {
  const auto wanted = baseline_matrix(data_, rows, threads_);
  const auto labels = models_.size();
  std::vector<float> all(rows.size() * labels, std::numeric_limits<float>::quiet_NaN());
  parallel_for(data_.labels(), threads_, [&](int64_t number) {
    const auto feature = static_cast<size_t>(number);
    if (!models_[feature]) return;
    const auto logits = models_[feature]->logits(wanted);
    for (size_t i = 0; i < rows.size(); ++i) all[i * labels + feature] = 1 / (1 + std::exp(-logits[i]));
  });
  return all;
}

Method kmer_method(const TaskRows& data, int threads) {
  const auto baseline = std::make_shared<const KmerBaseline>(data, threads);
  Method method{"kmers", [baseline](const std::vector<int64_t>& rows) { return baseline->score(rows); }};
  if (data.task == "promoter") {
    const auto validation = data.of(dataset::Split::validation);
    if (!validation.empty()) method.threshold = choose_threshold(baseline->score(validation), data.labels_of(validation, 0));
  }
  return method;
}

}  // namespace bigdna::classification
