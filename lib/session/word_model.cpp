#include "session/word_model.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "io/safetensors.h"
#include "metrics/kmer_frequencies.h"

namespace bigdna::session {

namespace {
constexpr WordCounts::Scale kAlongStrand[] = {{20, 3}, {60, 3}, {200, 4}, {1000, 4}, {0, 4}};
constexpr WordCounts::Scale kBothStrands[] = {{200, 5}, {1000, 5}, {0, 5}};
}

WordCounts WordCounts::of_interval(int64_t length, bool both_strands) {
  WordCounts counts{{}, both_strands};
  for (const auto& scale : both_strands ? std::span<const Scale>(kBothStrands) : kAlongStrand)
    if (scale.width < length) counts.scales.push_back(scale);
  return counts;
}

int64_t WordCounts::columns() const {
  int64_t count = 0;
  for (const auto& scale : scales)
    for (int length = 1; length <= scale.longest; ++length) {
      const int64_t words = int64_t{1} << (2 * length), palindromes = length % 2 ? 0 : int64_t{1} << length;
      count += both_strands ? (words + palindromes) / 2 : words;
    }
  return count;
}

std::pair<size_t, size_t> WordCounts::part_of(const Scale& scale, size_t length, double anchor) {
  if (scale.width == 0) return {0, length};
  const auto size = static_cast<int64_t>(length);
  const auto site =
      std::clamp<int64_t>(std::llround(anchor * static_cast<double>(size)), 0, std::max<int64_t>(0, size - 1));
  const int64_t start = std::max<int64_t>(0, site - scale.width / 2), end = std::min(size, site + scale.width / 2);
  return {static_cast<size_t>(start), static_cast<size_t>(end - start)};
}

std::vector<float> WordCounts::frequencies(std::string_view bases, double anchor) const {
  std::vector<float> all;
  all.reserve(static_cast<size_t>(columns()));
  for (const auto& scale : scales) {
    const auto [start, length] = part_of(scale, bases.size(), anchor);
    const auto part = metrics::kmer_frequencies(bases.substr(start, length), scale.longest, both_strands);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

std::vector<float> WordModel::logits(std::string_view bases, double anchor) const {
  const auto x = counts.frequencies(bases, anchor);
  std::vector<float> logits;
  logits.reserve(labels());
  for (size_t f = 0; f < labels(); ++f) {
    const float* w = weight.data() + f * x.size();
    double sum = bias[f];
    for (size_t j = 0; j < x.size(); ++j) sum += static_cast<double>(w[j]) * x[j];
    logits.push_back(static_cast<float>(sum));
  }
  return logits;
}

void WordModel::add_to(std::span<float> encoder_logits, std::span<const std::string> sequences, double anchor) const {
  for (size_t i = 0; i < sequences.size(); ++i) {
    const auto words = logits(sequences[i], anchor);
    float* row = encoder_logits.data() + i * words.size();
    for (size_t f = 0; f < words.size(); ++f) row[f] = words[f] + encoder[f] * row[f];
  }
}

std::vector<double> WordModel::importance(std::string_view bases, double anchor, size_t label) const {
  std::vector<double> all(bases.size(), 0);
  const float* w = weight.data() + label * static_cast<size_t>(counts.columns());
  for (const auto& scale : counts.scales) {
    const auto [start, size] = WordCounts::part_of(scale, bases.size(), anchor);
    for (int length = 1; length <= scale.longest; ++length) {
      int64_t columns = 0;
      const auto words = metrics::kmer_columns(bases.substr(start, size), length, counts.both_strands, columns);
      double mean = 0;
      for (int64_t j = 0; j < columns; ++j) mean += w[j] / static_cast<double>(columns);
      const auto total =
          static_cast<double>(std::count_if(words.begin(), words.end(), [](int32_t word) { return word >= 0; }));
      for (size_t i = 0; i < words.size(); ++i)
        for (int k = 0; words[i] >= 0 && k < length; ++k)
          all[start + i + static_cast<size_t>(k)] += (w[words[i]] - mean) / total / length;
      w += columns;
    }
  }
  return all;
}

void WordModel::save(const std::string& path) const {
  std::vector<int64_t> widths, longest;
  for (const auto& scale : counts.scales) {
    widths.push_back(scale.width);
    longest.push_back(scale.longest);
  }
  const auto count = static_cast<int64_t>(labels()), size = static_cast<int64_t>(widths.size());
  const std::vector<uint8_t> both{counts.both_strands};
  io::write_safetensors(path, {io::array<float>("weight", weight, {count, counts.columns()}),
                               io::array<float>("bias", bias, {count}),
                               io::array<float>("encoder", encoder, {count}),
                               io::array<int64_t>("widths", widths, {size}),
                               io::array<int64_t>("longest", longest, {size}),
                               io::array<uint8_t>("both_strands", both, {1})});
}

WordModel WordModel::load(const std::string& path) {
  const io::SafetensorsFile file(path);
  const auto values = [&]<class T>(const char* name, T) {
    const auto view = file.at(name).as<T>(path + ": " + name);
    return std::vector<T>(view.begin(), view.end());
  };
  const auto widths = values("widths", int64_t{}), longest = values("longest", int64_t{});
  WordModel model;
  for (size_t i = 0; i < std::min(widths.size(), longest.size()); ++i) {
    if (widths[i] < 0 || longest[i] < 1 || longest[i] > 8)
      fail(path, ": words of 1 to ", longest[i], " bases within ", widths[i], " bp");
    model.counts.scales.push_back({widths[i], static_cast<int>(longest[i])});
  }
  const auto both = values("both_strands", uint8_t{});
  model.counts.both_strands = !both.empty() && both.front();
  model.weight = values("weight", float{});
  model.bias = values("bias", float{});
  model.encoder = values("encoder", float{});
  if (model.encoder.size() != model.labels() ||
      model.weight.size() != model.labels() * static_cast<size_t>(model.counts.columns()))
    fail(path, ": the shapes of its arrays disagree");
  return model;
}

std::optional<WordModel> WordModel::of(const model_folder::ModelFolder& folder) {
  const auto* entry = model_folder::words_entry(folder.manifest);
  if (!entry) return std::nullopt;
  io::Manifest listed = folder.manifest;
  listed.details["files"] = nlohmann::ordered_json::array({*entry});
  listed.verify_files(folder.path, /*checksums=*/true);
  const std::string path = folder.path + "/" + model_folder::kWordsFile;
  auto model = load(path);
  if (static_cast<int64_t>(model.labels()) != folder.config.labels)
    fail(path, ": words of ", model.labels(), " features, but the model has ", folder.config.labels);
  return model;
}

}  // namespace bigdna::session
