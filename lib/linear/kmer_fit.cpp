#include "linear/kmer_fit.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/threads.h"
#include "linear/folds.h"
#include "linear/linear_fit.h"
#include "genome/alphabet.h"

namespace bigdna::linear {

namespace {
std::vector<float> values_of(const at::Tensor& tensor) {
  const auto* values = tensor.const_data_ptr<float>();
  return {values, values + tensor.numel()};
}
}  // namespace

std::vector<int64_t> fitted_rows(const rows::TaskRows& data) { return data.of(dataset::Split::train, 20'000); }

models::KmerCounts kmer_counts(const rows::TaskRows& data) {
  const int64_t bin = data.both_strands() ? data.bin : 0;
  auto counts =
      models::KmerCounts::of_interval(data.upstream + data.downstream + bin, data.anchor(), data.task->site, bin);
  const auto stranded = std::ranges::count_if(data.features, [](const auto& feature) { return feature.strand != '.'; });
  if (stranded == 0) return counts;
  auto windows = std::exchange(counts.windows, {});
  if (stranded < std::ssize(data.features)) counts.windows = windows;
  for (auto& window : windows) window.both_strands = false;
  counts.windows.insert(counts.windows.end(), windows.begin(), windows.end());
  return counts;
}

models::KmerCounts base_counts(const rows::TaskRows& data) {
  auto counts = kmer_counts(data);
  for (auto& window : counts.windows) window.longest = 1;
  return counts;
}

namespace {
/// Labels that are fitted to the same columns, which `counts` has alone, and whether to both readings of the rows.
struct LabelGroup {
  std::vector<int64_t> labels;
  models::KmerCounts counts;
  int64_t first = 0;
  bool both = false;
  dataset::LabelType type = dataset::LabelType::binary;
};

/// Labels of each type by themselves. Those of one strand are fitted to the windows of one strand, and others to what
/// kmer_counts() has before these. `both`: the rows are read twice, and the readings differ.
std::vector<LabelGroup> parts_of(const rows::TaskRows& data, const models::KmerCounts& counts, bool both) {
  const bool stranded = !dataset::features_of_other_strand(data.features).empty();
  std::vector<LabelGroup> parts;
  for (const auto& [type, labels] : data.by_type()) {
    if (!stranded) {
      parts.push_back({labels, counts, 0, both, type});
      continue;
    }
    LabelGroup without{{}, counts, 0, false, type}, with{{}, counts, 0, both, type};
    std::erase_if(without.counts.windows, [](const auto& window) { return !window.both_strands; });
    std::erase_if(with.counts.windows, [](const auto& window) { return window.both_strands; });
    with.first = without.counts.columns();
    for (const int64_t f : labels)
      (data.features[static_cast<size_t>(f)].strand == '.' ? without : with).labels.push_back(f);
    for (auto& part : {without, with})
      if (!part.labels.empty()) parts.push_back(part);
  }
  return parts;
}

/// `x`: [rows, columns], which is written; its rows may be apart.
void write_values(const at::Tensor& x, const rows::TaskRows& data, const std::vector<int64_t>& rows,
                  const models::KmerCounts& counts, bool reverse, int threads) {
  constexpr int64_t kTogether = 64;  // rows for one reader: neighbours overlap
  log::Progress progress(reverse ? "counting k-mers of the other strand" : "counting k-mers", rows.size(), "rows");
  const int64_t size = std::ssize(rows);
  auto* values = x.mutable_data_ptr<float>();
  parallel_for((size + kTogether - 1) / kTogether, threads, [&](int64_t part) {
    models::KmerReader reader(counts);
    for (int64_t i = part * kTogether; i < std::min(size, (part + 1) * kTogether); ++i) {
      std::string bases = data.bases(rows[static_cast<size_t>(i)]);
      if (reverse) genome::reverse_complement_in_place(bases);
      const auto row = reader.values(bases, reverse ? 1 - data.anchor() : data.anchor());
      std::copy(row.begin(), row.end(), values + i * x.stride(0));
      progress.add(1);
    }
  });
}

/// What is fitted so far: the models of the labels of some parts.
struct PartModels {
  at::Tensor weight, bias;
  PartModels(int64_t labels, const models::KmerCounts& counts)
      : weight(at::zeros({labels, counts.columns()}, at::kFloat)), bias(at::zeros({labels}, at::kFloat)) {}
  void add(const LabelGroup& part, const LinearModels& models) {
    const at::Tensor labels = at::tensor(part.labels);
    weight.narrow(1, part.first, part.counts.columns()).index_copy_(0, labels, models.weight);
    bias.index_copy_(0, labels, models.bias);
  }
  void write(models::KmerModel& model) const {
    model.weight = values_of(weight);
    model.bias = values_of(bias);
    model.base_weight.assign(model.labels(), 0);
  }
};

/// Labels of the reverse complements of rows with these labels: those of the other strand.
at::Tensor of_other_strand(const at::Tensor& labels, const rows::TaskRows& data) {
  const auto other = dataset::features_of_other_strand(data.features);
  return other.empty() ? labels : labels.index_select(1, at::tensor(other));
}
}  // namespace

at::Tensor kmer_values(const rows::TaskRows& data, const std::vector<int64_t>& rows, const models::KmerCounts& counts,
                       bool reverse, int threads) {
  const at::Tensor values = at::empty({std::ssize(rows), counts.columns()}, at::kFloat);
  write_values(values, data, rows, counts, reverse, threads);
  return values;
}

FittedKmers fit_kmers(const rows::TaskRows& data, const models::KmerCounts& counts, int threads, bool reversed) {
  constexpr int64_t kMostValues = int64_t{1} << 27;  // of the rows, each read once
  using dataset::LabelType;
  FittedKmers kmers{{}, data.size()};
  kmers.model.counts = counts;
  PartModels models(data.labels(), kmers.model.counts);
  const auto parts = parts_of(data, kmers.model.counts, reversed && !kmers.model.counts.count_both_strands());
  for (const auto& part : parts) {
    const int64_t readings = part.both ? 2 : 1, columns = part.counts.columns();
    const bool logistic = rows::is_binary(part.type);
    // fits of classes and numbers have several copies, in double precision
    const bool lean = logistic || part.type == LabelType::counts;
    const int64_t most = std::max<int64_t>(1, kMostValues / (lean ? 1 : 8) / columns);
    auto sample = logistic ? data.weighted(dataset::Split::train, most)
                           : rows::TaskRows::Weighted{data.of(dataset::Split::train, most), {}};
    kmers.rows = std::min(kmers.rows, std::ssize(sample.rows));
    // rows in the order of their folds, each reading beside the other, are fitted where they are
    const auto folds_of_sample = data.folds_of(sample.rows);
    const at::Tensor order = Folds(folds_of_sample).order;
    const auto count = order.numel();
    std::vector<int64_t> rows, folds;
    LinearRows how{.overwrite = true};
    for (int64_t i = 0; i < count; ++i) {
      const auto place = static_cast<size_t>(order.const_data_ptr<int64_t>()[i]);
      rows.push_back(sample.rows[place]);
      folds.insert(folds.end(), static_cast<size_t>(readings), folds_of_sample[place]);
      if (logistic) how.weights.insert(how.weights.end(), static_cast<size_t>(readings), sample.weights[place]);
    }
    const at::Tensor x = at::empty({count, readings, columns}, at::kFloat), labels = data.label_matrix(rows),
                     of_part = at::tensor(part.labels);
    std::vector<at::Tensor> y{labels.index_select(1, of_part)};
    write_values(x.select(1, 0), data, rows, part.counts, /*reverse=*/false, threads);
    if (part.both) {
      write_values(x.select(1, 1), data, rows, part.counts, /*reverse=*/true, threads);
      y.push_back(of_other_strand(labels, data).index_select(1, of_part));
    }
    const auto fit = fit_linear(x.flatten(0, 1), at::stack(y, 1).flatten(0, 1), folds, part.type, threads, how);
    models.add(part, fit.models);
    if (parts.size() > 1) continue;
    const at::Tensor of_readings = fit.out_of_fold.view({count, readings, -1});
    kmers.out_of_fold = of_readings.select(1, 0);
    if (part.both) kmers.out_of_fold = (kmers.out_of_fold + of_other_strand(of_readings.select(1, 1), data)) / 2;
    kmers.fitted = std::move(rows);
  }
  models.write(kmers.model);
  return kmers;
}

}  // namespace bigdna::linear
