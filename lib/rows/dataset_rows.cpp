#include "rows/dataset_rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/table.h"
#include "dataset/dataset_genome.h"
#include "rows/row_sequences.h"
#include "genome/contigs.h"

namespace bigdna::rows {

namespace {
/// A genome handle shared by threads, one at a time: cutting an interval takes far less time than reading it
/// with a model.
class SharedGenome {
 public:
  explicit SharedGenome(const std::string& path, genome::InvalidBases invalid = genome::InvalidBases::error)
      : genome_(path, invalid) {}
  const genome::Genome& genome() const { return genome_; }
  std::string fetch(const genome::Region& region) {
    std::lock_guard lock(mutex_);
    return genome_.fetch(region);
  }

 private:
  std::mutex mutex_;
  genome::Genome genome_;
};

void require_both_classes(const TaskRows& data) {
  for (const auto split : dataset::kSplits) {
    const auto rows = data.of(split);
    bool differ = rows.empty();
    float positive = 0;
    for (int64_t feature = 0; feature < data.labels() && !differ; ++feature) {
      positive = data.label(rows.front(), feature);
      differ = std::any_of(rows.begin(), rows.end(), [&](int64_t row) { return data.label(row, feature) != positive; });
    }
    if (differ) continue;
    if (data.type_of(static_cast<size_t>(data.labels()) - 1) == dataset::LabelType::counts)
      fail(data.folder, ": all ", data.both_strands() ? "bins" : "examples", " of the ", dataset::split_name(split),
           " split have the same counts");
    const char* what = data.labels() > 1 ? "no feature with both classes" : positive ? "no negatives" : "no positives";
    fail(data.folder, ": the ", dataset::split_name(split), " split has ", what, ", so there is nothing to learn");
  }
}

TaskRows promoter_rows(const std::string& dataset_folder, const std::string&, std::optional<int64_t>,
                       std::optional<int64_t>) {
  auto dataset = std::make_shared<dataset::PromoterDataset>(dataset::PromoterDataset::open(dataset_folder));
  TaskRows data;
  data.task = &dataset::task_of("promoter");
  data.folder = dataset_folder;
  data.contigs = genome::recorded_contigs(dataset->manifest.details);
  data.features = {{"promoter", "-", "-", "promoter"}};
  data.upstream = dataset->upstream;
  data.downstream = dataset->downstream;
  data.negatives = dataset->negatives;
  data.chosen_by_label = true;
  for (const auto& row : dataset->rows) {
    data.regions.push_back(row.region);
    data.splits.push_back(row.split);
    if (dataset->has_cpg) data.cpg.push_back(row.cpg);
  }
  auto sequences = std::make_shared<SharedGenome>(dataset->sequences_path());
  data.bases = [dataset, sequences](int64_t row) {
    const auto& item = dataset->rows[static_cast<size_t>(row)];
    return sequences->fetch({item.name, 0, item.region.length(), '+'});
  };
  data.name = [dataset](int64_t row) { return dataset->rows[static_cast<size_t>(row)].name; };
  data.label = [dataset](int64_t row, int64_t) {
    return dataset->rows[static_cast<size_t>(row)].label != 0 ? 1.f : 0.f;
  };
  require_both_classes(data);
  return data;
}

/// Error naming the track and the bin of a count that is below 0 or no number.
void check_counts(const dataset::ChromatinDataset& dataset) {
  for (size_t row = 0; row < dataset.rows.size(); ++row) {
    const auto counts = dataset.counts(static_cast<int64_t>(row));
    for (size_t track = 0; track < counts.size(); ++track)
      if (!(counts[track] >= 0 && std::isfinite(counts[track])))
        fail(dataset.folder, "/labels.safetensors: track ", dataset::label(dataset.tracks[track]), " is ",
             counts[track], " in ", dataset::bin_name(static_cast<int64_t>(row)),
             "; models learn counts, which are at least 0");
  }
}
}  // namespace

TaskRows chromatin_rows(const std::string& dataset_folder, const std::string& genome, std::optional<int64_t> upstream,
                        std::optional<int64_t> downstream) {
  auto dataset = std::make_shared<dataset::ChromatinDataset>(dataset::ChromatinDataset::open(dataset_folder));
  check_counts(*dataset);
  TaskRows data;
  data.task = &dataset::task_of("chromatin");
  data.type = dataset::LabelType::multilabel;
  data.folder = dataset_folder;
  data.contigs = genome::recorded_contigs(dataset->manifest.details);
  data.features = dataset->features;
  data.features.insert(data.features.end(), dataset->tracks.begin(), dataset->tracks.end());
  data.chosen_by_label = dataset->keep != "all";
  data.bin = dataset->bin;
  data.upstream = upstream.value_or(dataset->upstream);
  data.downstream = downstream.value_or(dataset->downstream);
  auto bases = std::make_shared<SharedGenome>(dataset::checked_genome(dataset->folder, dataset->manifest, genome),
                                              dataset->invalid_bases);
  for (const auto& row : dataset->rows) {
    data.regions.push_back(row.region);
    data.splits.push_back(row.split);
  }
  data.bases = [dataset, bases, before = data.upstream, after = data.downstream](int64_t row) {
    return bases->fetch(dataset::with_context(dataset->rows[static_cast<size_t>(row)].region, before, after));
  };
  data.sequence = [bases](const genome::Region& region) { return bases->fetch(region); };
  data.name = [](int64_t row) { return dataset::bin_name(row); };
  data.label = [dataset, binary = std::ssize(dataset->features)](int64_t row, int64_t feature) {
    if (feature >= binary) return dataset->counts(row)[static_cast<size_t>(feature - binary)];
    return dataset::label_at(dataset->labels(row), feature) ? 1.f : 0.f;
  };
  if (!dataset->tracks.empty())
    data.half = [dataset, binary = std::ssize(dataset->features)](int64_t row, int64_t feature) {
      return dataset->halves(row)[static_cast<size_t>(feature - binary)];
    };
  require_both_classes(data);
  return data;
}

TaskRows profile_rows(const std::shared_ptr<const dataset::ProfileDataset>& dataset, const std::string& genome) {
  TaskRows data;
  data.task = &dataset::task_of("profile");
  data.type = dataset::LabelType::counts;
  data.folder = dataset->folder;
  data.contigs = dataset->contigs;
  data.features = {dataset->tracks.front()};
  data.features.front().strand = '.';
  data.upstream = data.downstream = (dataset->window - data.bin) / 2;
  auto bases = std::make_shared<SharedGenome>(dataset::checked_genome(dataset->folder, dataset->manifest, genome),
                                              dataset->invalid_bases);
  const auto sum = [](const std::vector<float>& values) { return std::accumulate(values.begin(), values.end(), 0.F); };
  std::vector<float> totals, halves;
  for (int64_t row = 0; row < std::ssize(dataset->rows); ++row) {
    data.regions.push_back(dataset->rows[static_cast<size_t>(row)].region);
    data.splits.push_back(dataset->rows[static_cast<size_t>(row)].split);
    totals.push_back(sum(dataset->counts(row)));
    const auto half = dataset->halves(row);
    halves.push_back(half.empty() ? NAN : sum(half));
  }
  data.bases = [dataset, bases](int64_t row) { return bases->fetch(dataset->window_of(row)); };
  data.sequence = [bases](const genome::Region& region) { return bases->fetch(region); };
  data.name = [dataset](int64_t row) { return dataset->name(row); };
  data.label = [totals](int64_t row, int64_t) { return totals[static_cast<size_t>(row)]; };
  data.half = [halves](int64_t row, int64_t) { return halves[static_cast<size_t>(row)]; };
  require_both_classes(data);
  return data;
}

namespace {
/// Mean and standard deviation of each number of the training rows, missing ones left out. Of counts neither: they are
/// learned as they are. Error for an output whose numbers are all the same.
void standardise(TaskRows& data) {
  const auto rows = data.of(dataset::Split::train);
  for (int64_t f = 0; f < data.labels(); ++f) {
    double sum = 0, squares = 0, count = 0;
    for (const int64_t row : rows)
      if (const double value = data.label(row, f); !std::isnan(value)) {
        ++count;
        sum += value;
      }
    const double mean = count > 0 ? sum / count : 0;
    for (const int64_t row : rows)
      if (const double value = data.label(row, f); !std::isnan(value)) squares += (value - mean) * (value - mean);
    if (!(squares > 0))
      fail(data.folder, ": the training examples have no two different numbers of ",
           data.features[static_cast<size_t>(f)].name);
    if (data.type == dataset::LabelType::counts) continue;
    data.mean.push_back(mean);
    data.scale.push_back(std::sqrt(squares / count));
  }
}

/// A bootstrap resamples whole groups, or else blocks of the genome, or else sequences. Numbers without training rows
/// have no mean and scale.
TaskRows table_rows(const std::string& dataset_folder, const std::string&, std::optional<int64_t>,
                    std::optional<int64_t>) {
  auto dataset = std::make_shared<dataset::TableDataset>(dataset::TableDataset::open(dataset_folder));
  TaskRows data;
  data.task = &dataset::task_of("table");
  data.type = dataset->type;
  data.folder = dataset_folder;
  data.contigs = genome::recorded_contigs(dataset->manifest.details);
  data.features = dataset->features;
  data.upstream = dataset->longest / 2;
  data.downstream = dataset->longest - data.upstream;
  std::map<std::string, int64_t> groups;
  bool placed = true;
  for (const auto& row : dataset->rows) {
    data.regions.push_back(row.region);
    data.splits.push_back(row.split);
    placed = placed && row.region.contig != dataset::kNowhere;
  }
  if (dataset->has_groups) {
    data.resampled = "groups of rows";
    for (const auto& row : dataset->rows) data.units.push_back(groups.emplace(row.group, groups.size()).first->second);
  }
  auto sequences = std::make_shared<SharedGenome>(dataset->sequences_path());
  data.bases = [dataset, sequences](int64_t row) {
    const auto& name = dataset->rows[static_cast<size_t>(row)].name;
    return sequences->fetch({name, 0, sequences->genome().length(name), '+'});
  };
  if (!dataset->has_groups && !placed) resample_sequences(data);
  data.name = [dataset](int64_t row) { return dataset->rows[static_cast<size_t>(row)].name; };
  data.label = [dataset](int64_t row, int64_t feature) { return dataset->label(row, feature); };
  if (dataset::are_numbers(data.type) && !data.of(dataset::Split::train).empty())
    standardise(data);
  else
    require_both_classes(data);
  return data;
}

/// How the rows of each task are read.
struct RowsOfTask {
  std::string_view name;  // dataset::Task::name
  TaskRows (*read)(const std::string& dataset_folder, const std::string& genome, std::optional<int64_t> upstream,
                   std::optional<int64_t> downstream);
};
constexpr RowsOfTask kRowsOfTasks[] = {
    {"promoter", promoter_rows}, {"chromatin", chromatin_rows}, {"table", table_rows}};
}  // namespace

TaskRows task_rows(const dataset::Task& task, const std::string& dataset_folder, const std::string& genome,
                   std::optional<int64_t> upstream, std::optional<int64_t> downstream) {
  return row_named(kRowsOfTasks, task.name, "task").read(dataset_folder, genome, upstream, downstream);
}

}  // namespace bigdna::rows
