#include "linear/kmer_fit.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/log.h"
#include "base/threads.h"
#include "linear/folds.h"
#include "linear/linear_fit.h"
#include "linear/stacking.h"
#include "genome/alphabet.h"
#include "io/json.h"

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
  log::Progress progress(reverse ? "counting k-mers of the other strand" : "counting k-mers", rows.size(), "rows");
  auto* values = x.mutable_data_ptr<float>();
  parallel_for(std::ssize(rows), threads, [&](int64_t i) {
    std::string bases = data.bases(rows[static_cast<size_t>(i)]);
    if (reverse) genome::reverse_complement_in_place(bases);
    const auto row = counts.values(bases, reverse ? 1 - data.anchor() : data.anchor());
    std::copy(row.begin(), row.end(), values + i * x.stride(0));
    progress.add(1);
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

FittedKmers fit_kmers(const rows::TaskRows& data, int threads, bool reversed) {
  const auto rows = fitted_rows(data);
  const auto count = std::ssize(rows);
  const at::Tensor labels = data.label_matrix(rows), labels_of_other = of_other_strand(labels, data);
  FittedKmers kmers;
  kmers.model.counts = kmer_counts(data);
  const auto& counts = kmers.model.counts;
  // both readings, one below the other, so that nothing is copied: these are hundreds of megabytes
  const bool differ = reversed && !counts.same_on_both_strands();
  const at::Tensor all = at::empty({differ ? 2 * count : count, counts.columns()}, at::kFloat);
  for (const bool reverse : {false, true}) {
    if (reverse && !reversed) break;
    kmers.values.push_back(all.narrow(0, reverse && differ ? count : 0, count));
    if (!reverse || differ) write_values(kmers.values.back(), data, rows, counts, reverse, threads);
  }
  PartModels models(data.labels(), counts);
  for (size_t reading = 0; reading < kmers.values.size(); ++reading)
    kmers.out_of_fold.push_back(at::empty_like(labels));
  const auto folds_of_rows = data.folds_of(rows);
  for (const auto& part : parts_of(data, counts, differ)) {
    const at::Tensor features = at::tensor(part.labels);
    at::Tensor y = labels.index_select(1, features);
    auto folds = folds_of_rows;
    if (part.both) {
      y = at::cat({y, labels_of_other.index_select(1, features)});
      folds.insert(folds.end(), folds_of_rows.begin(), folds_of_rows.end());
    }
    const at::Tensor x = all.narrow(0, 0, part.both ? 2 * count : count).narrow(1, part.first, part.counts.columns());
    const auto fit = fit_linear(x, y, folds, part.type, threads);
    models.add(part, fit.models);
    for (size_t reading = 0; reading < kmers.out_of_fold.size(); ++reading)
      kmers.out_of_fold[reading].index_copy_(
          1, features, fit.out_of_fold.narrow(0, part.both ? static_cast<int64_t>(reading) * count : 0, count));
  }
  models.write(kmers.model);
  return kmers;
}

KmersAlone fit_kmers_alone(const rows::TaskRows& data, const models::KmerCounts& counts, int threads, bool reversed) {
  constexpr int64_t kMostValues = int64_t{1} << 27;  // of the rows, each read once
  using dataset::LabelType;
  KmersAlone kmers{{}, data.size()};
  kmers.model.counts = counts;
  PartModels models(data.labels(), kmers.model.counts);
  const auto parts = parts_of(data, kmers.model.counts, reversed && !kmers.model.counts.same_on_both_strands());
  for (const auto& part : parts) {
    const int64_t readings = part.both ? 2 : 1, columns = part.counts.columns();
    const bool logistic = part.type == LabelType::binary || part.type == LabelType::multilabel;
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
    kmers.out_of_fold = fit.out_of_fold.view({count, readings, -1}).mean(1);
    kmers.fitted = std::move(rows);
  }
  models.write(kmers.model);
  return kmers;
}

StackedKmers::StackedKmers(const rows::TaskRows& data, const FittedKmers& kmers, const at::Tensor& encoder,
                           const KernelFit* kernel, std::span<const double> weights)
    : model(kmers.model) {
  const size_t labels = model.labels();
  const at::Tensor& of_kmers = kmers.out_of_fold.front();
  const auto sample = fitted_rows(data);
  const auto fit = [&](const at::Tensor& rest, const at::Tensor& part) {
    return fit_stack(rest, part, data.label_matrix(sample), data.megabases_of(sample), data.groups(), data.type);
  };
  std::vector<std::vector<float>> of_kernel;
  for (const auto& logits : kmers.out_of_fold) {
    out_of_fold.push_back(values_of(logits));
    of_kernel.emplace_back(out_of_fold.back().size(), 0);
  }
  Stack stack{std::vector<double>(labels, 1), std::vector<double>(labels, 1), std::vector<double>(labels, 0)};
  if (encoder.defined()) stack = fit(of_kmers, encoder);
  if (kernel) {
    const auto row = [](const std::vector<double>& values) { return at::tensor(values).to(at::kFloat); };
    const at::Tensor both = row(stack.scale) * (of_kmers + row(stack.beta) * encoder) + row(stack.shift);
    const Stack beside = fit(both, kernel->out_of_fold.front());
    const at::Tensor weight = row(beside.scale) * row(beside.beta);
    if (std::ranges::any_of(beside.beta, [](double beta) { return beta != 0; })) {
      model.kernel = kernel->model;
      model.kernel->weight = kernel->model.weight * weight.unsqueeze(1);
      model.kernel->bias = kernel->model.bias * weight;
    }
    for (size_t i = 0; i < of_kernel.size(); ++i)
      of_kernel[i] = values_of((kernel->out_of_fold[i] * weight).contiguous());
    for (size_t f = 0; f < labels; ++f) {
      auto& of_group = kernel_weights[data.features[f].group];
      of_group = std::max(of_group, beside.scale[f] * beside.beta[f]);
      stack.scale[f] *= beside.scale[f];
      stack.shift[f] = beside.scale[f] * stack.shift[f] + beside.shift[f];
    }
  }
  for (size_t f = 0; f < labels; ++f) {
    // the head's bias counts the weight of positives, and the weighted logit of the encoder brings a part of it
    const double weight = stack.scale[f] * stack.beta[f], shift = stack.shift[f] + std::log(weights[f]) * (1 - weight);
    model.base_weight[f] = static_cast<float>(weight);
    auto& of_group = encoder_weights[data.features[f].group];  // a feature of one class has none
    of_group = std::max(of_group, weight);
    const auto columns = static_cast<size_t>(model.counts.columns());
    model.bias[f] = static_cast<float>(stack.scale[f] * model.bias[f] + shift);
    for (size_t j = f * columns; j < (f + 1) * columns; ++j)
      model.weight[j] = static_cast<float>(stack.scale[f] * model.weight[j]);
    for (size_t reading = 0; reading < out_of_fold.size(); ++reading)
      for (size_t i = f; i < out_of_fold[reading].size(); i += labels) {
        float& logit = out_of_fold[reading][i];
        logit = static_cast<float>(stack.scale[f] * logit + shift) + of_kernel[reading][i];
      }
  }
}

StackedKmers::StackedKmers(const std::string& bytes) {
  const auto json = io::parse_message_pack(bytes, "the k-mers of this run");
  try {
    json.at("weight").get_to(model.weight);
    json.at("bias").get_to(model.bias);
    json.at("base_weight").get_to(model.base_weight);
    json.at("out_of_fold").get_to(out_of_fold);
    json.at("encoder_weights").get_to(encoder_weights);
    json.at("kernel_weights").get_to(kernel_weights);
    model.counts.square_roots = json.at("square_roots");
    for (const auto& window : json.at("windows"))
      model.counts.windows.push_back({window.at(0), window.at(1), window.at(2), window.at(3)});
    std::map<std::string, at::Tensor> of_kernel;
    const auto arrays = json.value("kernel", nlohmann::json::object());
    for (const auto& [name, array] : arrays.items())
      of_kernel.emplace(name, at::tensor(array.at("values").get<std::vector<float>>(), at::kFloat)
                                  .view(array.at("shape").get<std::vector<int64_t>>()));
    if (!of_kernel.empty())
      model.kernel = models::KernelModel::of("the k-mers of this run", of_kernel, static_cast<int64_t>(model.labels()),
                                             model.counts.columns());
  } catch (const nlohmann::json::exception&) {
    fail("the k-mers of this run cannot be read: damaged (--force starts over)");
  }
}

std::string StackedKmers::bytes() const {
  nlohmann::json json{{"weight", model.weight},
                      {"bias", model.bias},
                      {"base_weight", model.base_weight},
                      {"out_of_fold", out_of_fold},
                      {"encoder_weights", encoder_weights},
                      {"kernel_weights", kernel_weights},
                      {"kernel", nlohmann::json::object()},
                      {"square_roots", model.counts.square_roots},
                      {"windows", nlohmann::json::array()}};
  for (const auto& [from, to, longest, both] : model.counts.windows)
    json["windows"].push_back({from, to, longest, both});
  for (const auto& [name, values] : model.kernel ? model.kernel->arrays() : std::map<std::string, at::Tensor>())
    json["kernel"][name] = {{"shape", values.sizes().vec()}, {"values", values_of(values)}};
  std::string bytes;
  nlohmann::json::to_msgpack(json, bytes);
  return bytes;
}

}  // namespace bigdna::linear
