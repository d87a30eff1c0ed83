#include "models/kmer_model.h"

#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>

#include "base/counted.h"
#include "base/error.h"
#include "base/finite.h"
#include "io/safetensors.h"

namespace bigdna::models {

namespace {

/// Bytes or numbers of an array in a k-mers file. Error for numbers that are not finite.
template <class T>
std::vector<T> values_of(const io::SafetensorsFile& file, const std::string& name) {
  const auto view = file.at(name).as<T>(file.path() + ": " + name);
  std::vector<T> values(view.begin(), view.end());
  if constexpr (std::is_same_v<T, float>)
    if (!all_finite(values)) fail(file.path(), ": ", name, " holds values that are not finite numbers: damaged");
  return values;
}

KmerCounts counts_of(const io::SafetensorsFile& file) {
  KmerCounts counts;
  const auto from = values_of<int64_t>(file, "from"), to = values_of<int64_t>(file, "to"),
             longest = values_of<int64_t>(file, "longest");
  const auto both = values_of<uint8_t>(file, "both_strands");
  if (to.size() != from.size() || longest.size() != from.size() || both.size() != from.size())
    fail(file.path(), ": the shapes of its arrays disagree");
  for (size_t i = 0; i < from.size(); ++i)
    counts.windows.push_back({from[i], to[i], static_cast<int>(longest[i]), both[i] != 0});
  const auto roots = values_of<uint8_t>(file, "square_roots");
  counts.square_roots = !roots.empty() && roots.front();
  return counts;
}

}  // namespace

KmerCounts KmerCounts::of_interval(int64_t length, double anchor, dataset::Task::Site kind, int64_t bin) {
  using Site = dataset::Task::Site;
  KmerCounts counts;
  counts.square_roots = kind == Site::start;
  const auto site = static_cast<int64_t>(std::llround(anchor * static_cast<double>(length)));
  // Windows that the interval contains, or most of them.
  const auto add = [&](int64_t from, int64_t to, int longest, bool both) {
    const int64_t inside = std::min(to, length - site) - std::max(from, -site);
    if (2 * inside > to - from && inside < length) counts.windows.push_back({from, to, longest, both});
  };
  const auto whole = [&](int longest, bool both) {
    counts.windows.push_back({-Window::kAll, Window::kAll, longest, both});
  };
  if (kind != Site::bin) {
    for (const int64_t half : {10, 30}) add(-half, half, 3, false);
    for (const int64_t half : {100, 500}) add(-half, half, 4, false);
    whole(4, false);
  }
  if (kind == Site::start) {
    constexpr int64_t kSteps[] = {0, 50, 100, 250, 500, 1000};
    for (size_t i = 0; i + 1 < std::size(kSteps); ++i) {
      add(-kSteps[i + 1], -kSteps[i], 3, false);
      add(kSteps[i], kSteps[i + 1], 3, false);
    }
    for (const int64_t far : {100, 500}) {
      add(-far, 0, 4, true);
      add(0, far, 4, true);
    }
  }
  if (kind == Site::bin && bin < dataset::kBin) add(-bin / 2, bin / 2, 5, true);  // the bin itself
  if (kind != Site::whole) {
    for (const int64_t half : {100, 500}) add(-half, half, 5, true);
    whole(5, true);
  }
  return counts;
}

int64_t KmerCounts::columns(const Window& window) {
  int64_t count = 0;
  for (int length = 1; length <= window.longest; ++length) {
    const int64_t kmers = int64_t{1} << (2 * length), palindromes = length % 2 ? 0 : int64_t{1} << length;
    count += window.both_strands ? (kmers + palindromes) / 2 : kmers;
  }
  return count;
}

int64_t KmerCounts::columns() const {
  int64_t count = 0;
  for (const auto& window : windows) count += columns(window);
  return count;
}

bool KmerCounts::same_on_both_strands(const Window& window, size_t length, double anchor) {
  const auto [start, size] = part_of(window, length, anchor);
  return window.both_strands && part_of(window, length, 1 - anchor) == std::pair(length - start - size, size);
}

std::pair<size_t, size_t> KmerCounts::part_of(const Window& window, size_t length, double anchor) {
  const auto size = static_cast<int64_t>(length);
  const auto site =
      std::clamp<int64_t>(std::llround(anchor * static_cast<double>(size)), 0, std::max<int64_t>(0, size - 1));
  const int64_t start = std::clamp<int64_t>(site + window.from, 0, size),
                end = std::clamp<int64_t>(site + window.to, start, size);
  return {static_cast<size_t>(start), static_cast<size_t>(end - start)};
}

std::vector<float> KmerCounts::values(std::string_view bases, double anchor) const {
  return KmerReader(*this).values(bases, anchor);
}

KmerReader::KmerReader(const KmerCounts& counts) : counts_(counts) {
  for (const auto& window : counts.windows) counters_.emplace_back(window.longest, window.both_strands);
}

std::vector<float> KmerReader::values(std::string_view bases, double anchor, std::span<const float> reverse) {
  std::vector<float> all;
  all.reserve(static_cast<size_t>(counts_.columns()));
  for (size_t i = 0; i < counters_.size(); ++i) {
    const auto& window = counts_.windows[i];
    if (!reverse.empty() && KmerCounts::same_on_both_strands(window, bases.size(), anchor)) {
      const auto same = reverse.subspan(all.size(), static_cast<size_t>(KmerCounts::columns(window)));
      all.insert(all.end(), same.begin(), same.end());
      continue;
    }
    const size_t first = all.size();
    const auto [start, length] = KmerCounts::part_of(window, bases.size(), anchor);
    counters_[i].add_frequencies(bases.substr(start, length), all);
    if (counts_.square_roots)
      for (size_t j = first; j < all.size(); ++j) all[j] = std::sqrt(all[j]);
  }
  return all;
}

std::vector<float> KmerModel::linear_logits(std::span<const float> values) const {
  std::vector<float> logits;
  logits.reserve(labels());
  for (size_t f = 0; f < labels(); ++f) {
    const float* w = weight.data() + f * values.size();
    double sum = bias[f];
    for (size_t j = 0; j < values.size(); ++j) sum += static_cast<double>(w[j]) * values[j];
    logits.push_back(static_cast<float>(sum));
  }
  return logits;
}

void KmerModel::rescale(size_t label, double scale, double shift) {
  bias[label] = static_cast<float>(scale * bias[label] + shift);
  const auto columns = static_cast<size_t>(counts.columns());
  for (size_t j = label * columns; j < (label + 1) * columns; ++j) weight[j] = static_cast<float>(scale * weight[j]);
}

void KmerModel::save(const std::string& path) const {
  std::vector<int64_t> from, to, longest;
  std::vector<uint8_t> both;
  for (const auto& window : counts.windows) {
    from.push_back(window.from);
    to.push_back(window.to);
    longest.push_back(window.longest);
    both.push_back(window.both_strands);
  }
  const auto count = static_cast<int64_t>(labels()), size = static_cast<int64_t>(from.size());
  const std::vector<uint8_t> roots{counts.square_roots};
  std::vector<io::ArrayToWrite> arrays{io::array<float>("weight", weight, {count, counts.columns()}),
                                       io::array<float>("bias", bias, {count}),
                                       io::array<float>("base_weight", base_weight, {count}),
                                       io::array<int64_t>("from", from, {size}),
                                       io::array<int64_t>("to", to, {size}),
                                       io::array<int64_t>("longest", longest, {size}),
                                       io::array<uint8_t>("both_strands", both, {size}),
                                       io::array<uint8_t>("square_roots", roots, {1})};
  const auto of_kernel = kernel ? kernel->arrays() : std::map<std::string, at::Tensor>();
  for (const auto& [name, values] : of_kernel)
    arrays.push_back(io::array<float>(name, {values.const_data_ptr<float>(), static_cast<size_t>(values.numel())},
                                      values.sizes().vec()));
  io::write_safetensors(path, arrays);
}

KmerModel KmerModel::load(const std::string& path) {
  const io::SafetensorsFile file(path);
  KmerModel model;
  model.counts = counts_of(file);
  for (const auto& window : model.counts.windows)
    if (window.to <= window.from || window.longest < 1 || window.longest > 8)
      fail(path, ": k-mers of 1 to ", window.longest, " bases from ", window.from, " to ", window.to, " bp");
  model.weight = values_of<float>(file, "weight");
  model.bias = values_of<float>(file, "bias");
  model.base_weight = values_of<float>(file, "base_weight");
  if (model.base_weight.size() != model.labels() ||
      model.weight.size() != model.labels() * static_cast<size_t>(model.counts.columns()))
    fail(path, ": the shapes of its arrays disagree");
  std::map<std::string, at::Tensor> of_kernel;
  for (const auto& [name, array] : file.arrays())
    if (name.starts_with("kernel."))
      of_kernel.emplace(name, at::tensor(values_of<float>(file, name), at::kFloat).view(array.shape));
  if (!of_kernel.empty())
    model.kernel = KernelModel::of(path, of_kernel, static_cast<int64_t>(model.labels()), model.counts.columns());
  return model;
}

void KmerModel::check_kernel(const std::string& path, int64_t states) const {
  if (!kernel) return;
  const auto reads = kernel->states.mean.numel();
  if (reads != states) fail(path, ": its kernel reads ", reads, " numbers of the encoder, but the model has ", states);
}

std::optional<KmerModel> KmerModel::of(const model_folder::ModelFolder& folder, const std::string& file) {
  const auto* entry = model_folder::file_entry(folder.manifest, file);
  if (!entry) return std::nullopt;
  if (!folder.network && file == model_folder::kKmersFile)
    fail(folder.path, ": lists ", file, ", which only models of bigdna train have");
  io::Manifest listed = folder.manifest;
  listed.details["files"] = nlohmann::ordered_json::array({*entry});
  listed.verify_files(folder.path, /*checksums=*/true);
  const std::string path = folder.path + "/" + file;
  auto model = load(path);
  if (static_cast<int64_t>(model.labels()) != folder.config.labels)
    fail(path, ": k-mers of ", counted(model.labels(), "feature"), ", but the model has ", folder.config.labels);
  return model;
}

}  // namespace bigdna::models
