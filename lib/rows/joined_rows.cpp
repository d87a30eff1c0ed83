#include "rows/joined_rows.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "genome/interval_set.h"

namespace bigdna::rows {

namespace {
using dataset::Feature;

bool is_same(const Feature& a, const Feature& b) {
  return a.name == b.name && a.cell == b.cell && a.assay == b.assay && a.strand == b.strand;
}

/// The place of a feature among others; their number if it is none of them.
int64_t place_among(const std::vector<Feature>& features, const Feature& wanted) {
  return std::ranges::find_if(features, [&](const Feature& other) { return is_same(other, wanted); }) -
         features.begin();
}

/// Those of all datasets, each once: first the binary ones.
std::vector<Feature> features_of(const std::vector<TaskRows>& datasets) {
  std::vector<Feature> features;
  for (const auto kind : {dataset::FeatureKind::binary, dataset::FeatureKind::counts})
    for (const auto& rows : datasets)
      for (const auto& feature : dataset::of_kind(rows.features, kind)) {
        const int64_t place = place_among(features, feature);
        if (place == std::ssize(features))
          features.push_back(feature);
        else if (features[static_cast<size_t>(place)].kind != kind)
          fail(rows.folder, ": ", dataset::label(feature), " is a track here and a label in another dataset");
      }
  return features;
}

std::string folder_name(const std::string& folder) {
  const auto path = std::filesystem::path(folder).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename();
}

/// What a row's values are, by the dataset that it belongs to.
class Parts {
 public:
  Parts(std::vector<TaskRows> datasets, const std::vector<Feature>& features) {
    int64_t first = 0;
    for (auto& rows : datasets) {
      TaskRows::Part part{std::make_shared<const TaskRows>(std::move(rows)), first, {}};
      std::vector<int64_t> own(features.size(), -1);
      for (const auto& feature : part.rows->features) part.features.push_back(place_among(features, feature));
      for (size_t f = 0; f < part.features.size(); ++f)
        own[static_cast<size_t>(part.features[f])] = static_cast<int64_t>(f);
      first += part.rows->size();
      own_.push_back(std::move(own));
      parts_.push_back(std::move(part));
    }
  }
  const std::vector<TaskRows::Part>& parts() const { return parts_; }
  float value(int64_t row, int64_t feature, bool half) const {
    const size_t number = part_of(row);
    const auto& part = parts_[number];
    const int64_t own = own_[number][static_cast<size_t>(feature)];
    const auto& values = half ? part.rows->half : part.rows->label;
    return own < 0 || !values ? NAN : values(row - part.first, own);
  }
  std::string name(int64_t row) const {
    const auto& part = parts_[part_of(row)];
    return part.rows->name(row - part.first);
  }

 private:
  size_t part_of(int64_t row) const {
    size_t number = parts_.size() - 1;
    while (parts_[number].first > row) --number;
    return number;
  }
  std::vector<TaskRows::Part> parts_;
  std::vector<std::vector<int64_t>> own_;  // of each part: which of its features a joined one is, or -1
};

/// "3 of its 5 test bins", of those that overlap the intervals; empty if there are none.
std::string held_out_among(const TaskRows& rows, dataset::Split split, const genome::IntervalSet& intervals) {
  const auto held_out = rows.of(split);
  const int64_t met = rows.count_seen(intervals, {}, held_out);
  return met == 0 ? "" : concat(met, " of its ", held_out.size(), " ", dataset::split_name(split), " bins");
}

/// Of datasets of one genome: what one holds out is nothing that the network learns from another.
void require_held_out(const std::vector<TaskRows::Part>& parts) {
  for (const auto& other : parts) {
    const auto training = other.rows->intervals_of(other.rows->of(dataset::Split::train));
    for (const auto& part : parts) {
      if (&part == &other) continue;
      const auto test = held_out_among(*part.rows, dataset::Split::test, training),
                 validation = held_out_among(*part.rows, dataset::Split::validation, training);
      if (!test.empty() || !validation.empty())
        fail(part.rows->folder, ": ", test, test.empty() || validation.empty() ? "" : " and ", validation,
             " overlap training bins of ", other.rows->folder,
             ": make all datasets of a genome with the same --test and --validation, as contigs or BED files");
    }
  }
}
}  // namespace

TaskRows joined_rows(std::vector<TaskRows> datasets) {
  TaskRows joined;
  const auto& first = datasets.front();
  joined.task = first.task;
  joined.type = first.type;
  joined.bin = first.bin;
  joined.features = features_of(datasets);
  std::set<std::string> names;
  std::map<std::string, std::pair<size_t, std::string>> contigs;  // by the joined name: the dataset, and its own name
  for (size_t number = 0; number < datasets.size(); ++number) {
    const auto& rows = datasets[number];
    const std::string name = folder_name(rows.folder);
    if (!names.insert(name).second) fail(rows.folder, ": another dataset is in a folder of this name, too");
    if (rows.bin != joined.bin)
      fail(rows.folder, ": its bins have ", rows.bin, " bp, and the bins of ", first.folder, " have ", joined.bin);
    joined.folder += concat(number ? ", " : "", rows.folder);
    joined.chosen_by_label = joined.chosen_by_label || rows.chosen_by_label;
    for (const auto& contig : rows.contigs) {
      contigs[concat(name, ':', contig.name)] = {number, contig.name};
      joined.contigs.push_back(contig);
    }
    for (auto region : rows.regions) {
      region.contig = concat(name, ':', region.contig);
      joined.regions.push_back(std::move(region));
    }
    joined.splits.insert(joined.splits.end(), rows.splits.begin(), rows.splits.end());
  }
  const bool halves = std::ranges::any_of(datasets, [](const TaskRows& rows) { return bool(rows.half); });
  const auto parts = std::make_shared<const Parts>(std::move(datasets), joined.features);
  joined.parts = parts->parts();
  require_held_out(joined.parts);
  joined.sequence = [parts, contigs](const genome::Region& region) {
    const auto& [number, name] = contigs.at(region.contig);
    return parts->parts()[number].rows->sequence({name, region.start, region.end, region.strand});
  };
  joined.name = [parts](int64_t row) { return parts->name(row); };
  joined.label = [parts](int64_t row, int64_t feature) { return parts->value(row, feature, /*half=*/false); };
  if (halves) joined.half = [parts](int64_t row, int64_t feature) { return parts->value(row, feature, /*half=*/true); };
  return joined;
}

}  // namespace bigdna::rows
