#include "rows/task_rows.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/rng.h"
#include "genome/contigs.h"
#include "models/task_details.h"

namespace bigdna::rows {

namespace {
constexpr int64_t kBlock = 1'000'000;  // bp
constexpr size_t kFewestBlocks = 10;   // with fewer, 95 % intervals hold the truth in clearly less than 95 % of cases
size_t count_of(const std::vector<int64_t>& blocks) { return std::set(blocks.begin(), blocks.end()).size(); }
}  // namespace

double TaskRows::anchor() const {
  const double own = both_strands() ? static_cast<double>(bin) : 0;
  return (static_cast<double>(upstream) + own / 2) / (static_cast<double>(upstream + downstream) + own);
}

std::vector<int64_t> TaskRows::of(dataset::Split split, int64_t most) const {
  std::vector<int64_t> rows;
  for (int64_t row = 0; row < size(); ++row)
    if (splits[static_cast<size_t>(row)] == split) rows.push_back(row);
  if (most == 0 || static_cast<int64_t>(rows.size()) <= most) return rows;
  return sample(std::move(rows), most);
}

std::vector<int64_t> TaskRows::sample(std::vector<int64_t> rows, int64_t most) const {
  // times as many are drawn first: every label of every row of a large dataset takes long to look at
  constexpr int64_t kPool = 20;
  Rng rng(1);
  rng.shuffle(rows);
  if (static_cast<int64_t>(rows.size()) / kPool > most) rows.resize(static_cast<size_t>(kPool * most));

  std::vector<int64_t> ordered;
  for (const auto& [label, of_label] : strata_of(rows)) ordered.insert(ordered.end(), of_label.begin(), of_label.end());
  // Evenly through the strata: each gives its share, the first and the last at least one.
  std::vector<int64_t> chosen;
  const auto last = static_cast<int64_t>(ordered.size()) - 1;
  for (int64_t i = 0; i < most; ++i)
    chosen.push_back(ordered[static_cast<size_t>(most > 1 ? i * last / (most - 1) : 0)]);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::map<int64_t, std::vector<int64_t>> TaskRows::strata_of(const std::vector<int64_t>& rows) const {
  std::vector<int64_t> positives(features.size(), 0), words;  // the features that are no numbers
  for (int64_t f = 0; f < labels(); ++f) {
    const auto of = type_of(static_cast<size_t>(f));
    if (dataset::are_numbers(of)) continue;
    words.push_back(f);
    positives[static_cast<size_t>(f)] =
        std::count_if(rows.begin(), rows.end(), [&](int64_t row) { return label(row, f) > 0; });
  }
  std::map<int64_t, std::vector<int64_t>> strata;
  for (const int64_t row : rows) {
    int64_t rarest = -1;
    for (const int64_t f : words)
      if ((rarest < 0 || positives[static_cast<size_t>(f)] < positives[static_cast<size_t>(rarest)]) &&
          label(row, f) > 0)
        rarest = f;
    strata[rarest].push_back(row);
  }
  return strata;
}

TaskRows::Weighted TaskRows::weighted(dataset::Split split, int64_t most) const {
  Weighted sample;
  sample.rows = of(split);
  sample.weights.assign(sample.rows.size(), 1);
  if (std::ssize(sample.rows) <= most) return sample;
  Rng rng(1);
  rng.shuffle(sample.rows);
  const auto strata = strata_of(sample.rows);
  std::vector<const std::vector<int64_t>*> smallest_first;
  for (const auto& [label, rows] : strata) smallest_first.push_back(&rows);
  std::ranges::stable_sort(smallest_first, {}, [](const auto* rows) { return rows->size(); });
  std::vector<std::pair<int64_t, float>> chosen;
  auto left = static_cast<size_t>(most), strata_left = smallest_first.size();
  for (const auto* rows : smallest_first) {  // each is given as much as those after it at least
    const size_t taken = std::min(rows->size(), left / strata_left--);
    left -= taken;
    for (size_t i = 0; i < taken; ++i)
      chosen.emplace_back((*rows)[i], static_cast<float>(rows->size()) / static_cast<float>(taken));
  }
  std::ranges::sort(chosen);
  sample = {};
  for (const auto& [row, weight] : chosen) {
    sample.rows.push_back(row);
    sample.weights.push_back(weight);
  }
  return sample;
}

std::vector<uint8_t> TaskRows::labels_of(const std::vector<int64_t>& rows, int64_t feature) const {
  std::vector<uint8_t> values;
  for (const int64_t row : rows) values.push_back(label(row, feature) > 0);
  return values;
}

std::vector<int64_t> TaskRows::known_of(const std::vector<int64_t>& rows, int64_t feature) const {
  std::vector<int64_t> known;
  for (size_t i = 0; i < rows.size(); ++i)
    if (!std::isnan(label(rows[i], feature))) known.push_back(static_cast<int64_t>(i));
  return known;
}

std::vector<TaskRows::OfKnown> TaskRows::by_known(const std::vector<int64_t>& rows,
                                                  const std::vector<int64_t>& some) const {
  std::vector<OfKnown> all;
  for (const int64_t f : some) {
    auto places = known_of(rows, f);
    const auto found = std::ranges::find(all, places, &OfKnown::places);
    if (found == all.end())
      all.push_back({{f}, std::move(places)});
    else
      found->features.push_back(f);
  }
  return all;
}

std::vector<size_t> TaskRows::called() const {
  std::vector<size_t> called;
  for (size_t f = 0; f < features.size(); ++f)
    if (is_called(f)) called.push_back(f);
  return called;
}

dataset::LabelType TaskRows::type_of(size_t feature) const {
  constexpr dataset::LabelType kOfKinds[] = {dataset::LabelType::multilabel, dataset::LabelType::counts};
  return both_strands() ? kOfKinds[static_cast<size_t>(features[feature].kind)] : type;
}

std::vector<TaskRows::OfType> TaskRows::by_type() const {
  std::vector<OfType> all;
  for (int64_t f = 0; f < labels(); ++f) {
    const auto of = type_of(static_cast<size_t>(f));
    if (all.empty() || all.back().type != of) all.push_back({of, {}});
    all.back().features.push_back(f);
  }
  return all;
}

void TaskRows::keep_features(const std::vector<int64_t>& kept) {
  std::vector<dataset::Feature> chosen;
  for (const int64_t f : kept) chosen.push_back(features[static_cast<size_t>(f)]);
  features = std::move(chosen);
  for (auto* values : {&label, &half})
    if (*values)
      *values = [all = *values, kept](int64_t row, int64_t feature) {
        return all(row, kept[static_cast<size_t>(feature)]);
      };
}

std::vector<std::string> TaskRows::groups_of(const std::vector<int64_t>& some) const {
  std::vector<std::string> groups;
  for (const int64_t f : some) groups.push_back(features[static_cast<size_t>(f)].group);
  return groups;
}

std::vector<std::string> TaskRows::groups() const {
  std::vector<std::string> groups;
  for (const auto& feature : features) groups.push_back(feature.group);
  return groups;
}

at::Tensor TaskRows::label_matrix(const std::vector<int64_t>& rows) const {
  at::Tensor matrix = at::empty({static_cast<int64_t>(rows.size()), labels()}, at::kFloat);
  auto* next = matrix.mutable_data_ptr<float>();
  for (const int64_t row : rows)
    for (int64_t f = 0; f < labels(); ++f) *next++ = target(row, f);
  return matrix;
}

float TaskRows::target(int64_t row, int64_t feature) const {
  const auto f = static_cast<size_t>(feature);
  const float value = label(row, feature);
  return type == dataset::LabelType::regression ? static_cast<float>((value - mean[f]) / scale[f]) : value;
}

models::Link TaskRows::link(std::vector<double> weights) const {
  using Link = models::Link::Kind;
  models::Link link{Link::sigmoid, std::move(weights), {}, {}, {}};
  if (type == dataset::LabelType::classes) {
    link.kind = Link::softmax;
    if (std::all_of(link.weights.begin(), link.weights.end(), [](double weight) { return weight == 1; }))
      link.weights = {1};
  }
  if (type == dataset::LabelType::regression) link = {Link::linear, {1}, mean, scale, {}};
  if (type == dataset::LabelType::counts) link.kind = Link::exponential;
  if (both_strands()) link.of_outputs = models::links_of(features);
  return link;
}

std::vector<std::string> TaskRows::bases_of(const std::vector<int64_t>& rows) const {
  std::vector<std::string> sequences;
  for (const int64_t row : rows) sequences.push_back(bases(row));
  return sequences;
}

void TaskRows::describe(const models::Link& link, double threshold, nlohmann::ordered_json& details) const {
  details["upstream"] = upstream;
  details["downstream"] = downstream;
  details["label_type"] = dataset::label_type_name(type);
  link.save(details);
  if (both_strands()) details["bin"] = bin;
  details["anchor"] = anchor();
  if (task->calls) details["threshold"] = threshold;
  if (!negatives.empty()) details["negatives"] = negatives;
  if (task->site == dataset::Task::Site::whole)
    if (const auto rows = of(dataset::Split::train); !rows.empty()) {
      const auto length = [&](int64_t row) { return regions[static_cast<size_t>(row)].length(); };
      const auto [shortest, longest] = std::ranges::minmax(rows, {}, length);
      details[models::kSequenceLengths] = {length(shortest), length(longest)};
    }
}

std::vector<int64_t> TaskRows::rows_of_part(size_t number, const std::vector<int64_t>& some) const {
  const int64_t first = parts[number].first, last = first + parts[number].rows->size();
  std::vector<int64_t> own;
  for (const int64_t row : some)
    if (row >= first && row < last) own.push_back(row - first);
  return own;
}

genome::IntervalSet TaskRows::intervals_of(const std::vector<int64_t>& rows) const {
  genome::IntervalSet intervals;
  for (size_t number = 0; number < parts.size(); ++number)
    intervals.add(parts[number].rows->intervals_of(rows_of_part(number, rows)));
  if (!parts.empty()) return intervals;
  for (const int64_t row : rows)
    if (const auto& region = regions[static_cast<size_t>(row)]; region.contig != dataset::kNowhere)
      intervals.add(region);
  for (const auto& contig : contigs) intervals.set_length(contig.name, contig.length);
  return intervals;
}

model_folder::TrainingSequences TaskRows::sequences_of(const std::vector<int64_t>& rows) const {
  model_folder::TrainingSequences sequences;
  if (task->site != dataset::Task::Site::bin)
    for (const int64_t row : rows) sequences.add(bases(row));
  return sequences;
}

int64_t TaskRows::count_seen(const genome::IntervalSet& intervals, const model_folder::TrainingSequences& sequences,
                             const std::vector<int64_t>& rows) const {
  if (!parts.empty()) {
    int64_t seen = 0;
    for (size_t number = 0; number < parts.size(); ++number)
      seen += parts[number].rows->count_seen(intervals, sequences, rows_of_part(number, rows));
    return seen;
  }
  const auto own = genome::in_genome(intervals, contigs);
  std::set<std::string> other;  // contigs of another assembly
  for (const auto& contig : contigs)
    if (!own.fits(contig.name, contig.length)) other.insert(contig.name);
  return std::ranges::count_if(rows, [&](int64_t row) {
    const auto& region = regions[static_cast<size_t>(row)];
    if (region.contig != dataset::kNowhere && !other.contains(region.contig) && own.overlaps(region)) return true;
    return !sequences.empty() && task->site != dataset::Task::Site::bin && sequences.contains(bases(row));
  });
}

void warn_of_leakage(const model_folder::ModelFolder& model, const TaskRows& data) {
  const auto test = data.of(dataset::Split::test);
  for (const auto& part : data.parts)
    genome::warn_of_other_genome(model.training_intervals(), model.path, part.rows->contigs, part.rows->folder);
  if (data.parts.empty())
    genome::warn_of_other_genome(model.training_intervals(), model.path, data.contigs, data.folder);
  if (const int64_t met = data.count_seen(model.training_intervals(), model_folder::TrainingSequences::of(model), test))
    log::warn(met, " of ", counted(test.size(), "test example"), met == 1 ? " lies" : " lie",
              " on sequence that the model was trained on (bigdna dataset --split-like MODEL "
              "avoids it)");
}

std::vector<int64_t> TaskRows::blocks_of_size(const std::vector<int64_t>& rows, int64_t bases) const {
  std::map<std::pair<std::string, int64_t>, int64_t> numbers;
  std::vector<int64_t> blocks;
  for (const int64_t row : rows) {
    const auto& region = regions[static_cast<size_t>(row)];
    blocks.push_back(units.empty()
                         ? numbers.emplace(std::pair(region.contig, region.start / bases), numbers.size()).first->second
                         : units[static_cast<size_t>(row)]);
  }
  return blocks;
}

std::vector<int64_t> TaskRows::megabases_of(const std::vector<int64_t>& rows) const {
  return blocks_of_size(rows, kBlock);
}

std::vector<int64_t> TaskRows::blocks_of(const std::vector<int64_t>& rows) const {
  constexpr int64_t kSmallest = 30'000;  // bp: labels of neighbours that are nearer depend on each other
  int64_t size = kBlock;
  auto blocks = blocks_of_size(rows, size);
  while (units.empty() && count_of(blocks) < kFewestBlocks && size / 2 >= kSmallest)
    blocks = blocks_of_size(rows, size /= 2);
  return blocks;
}

void TaskRows::warn_of_few(const std::vector<int64_t>& blocks) const {
  if (const size_t count = count_of(blocks); count > 1 && count < kFewestBlocks)
    log::warn("the 95 % intervals are from ", count, " ", units.empty() ? "blocks of the genome" : resampled,
              " only, and therefore too narrow");
}

std::vector<int64_t> several_blocks(std::vector<int64_t> blocks) {
  if (std::ranges::adjacent_find(blocks, std::ranges::not_equal_to()) == blocks.end())
    std::iota(blocks.begin(), blocks.end(), int64_t{0});
  return blocks;
}

std::vector<int64_t> TaskRows::folds_of(const std::vector<int64_t>& rows) const {
  constexpr size_t kFolds = 5;
  auto blocks = several_blocks(megabases_of(rows));
  std::map<int64_t, int64_t> sizes;
  for (const int64_t block : blocks) ++sizes[block];
  std::vector<std::pair<int64_t, int64_t>> largest;  // size and block
  for (const auto& [block, size] : sizes) largest.emplace_back(size, block);
  Rng rng(2);
  rng.shuffle(largest);
  std::stable_sort(largest.begin(), largest.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<int64_t> filled(std::min(kFolds, largest.size()), 0);
  std::map<int64_t, int64_t> fold_of;
  for (const auto& [size, block] : largest) {
    const auto emptiest = std::min_element(filled.begin(), filled.end());
    *emptiest += size;
    fold_of[block] = emptiest - filled.begin();
  }
  for (int64_t& block : blocks) block = fold_of.at(block);
  return blocks;
}

}  // namespace bigdna::rows
