#include "rows/row_sequences.h"

#include <algorithm>
#include <cstdio>
#include <unordered_map>

#include "base/counted.h"
#include "base/log.h"
#include "metrics/classification.h"
#include "model_folder/training_sequences.h"

namespace bigdna::rows {

void resample_sequences(TaskRows& data) {
  std::unordered_map<uint64_t, int64_t> numbers;
  data.units.clear();
  for (int64_t row = 0; row < std::ssize(data.regions); ++row) {
    const auto hash = model_folder::TrainingSequences::hash_of(data.bases(row));
    data.units.push_back(numbers.emplace(hash, std::ssize(numbers)).first->second);
  }
  data.resampled = numbers.size() < data.regions.size() ? "examples, grouped by sequence" : "examples";
}

void warn_of_telling_lengths(const TaskRows& data, dataset::Split split) {
  constexpr double kTelling = 0.75;
  if (data.task->site != dataset::Task::Site::whole || dataset::are_numbers(data.type)) return;
  const auto rows = data.of(split);
  std::vector<float> lengths;
  for (const int64_t row : rows) lengths.push_back(static_cast<float>(data.regions[static_cast<size_t>(row)].length()));
  double most = 0;
  int64_t telling = 0, first = -1;
  for (int64_t f = 0; f < data.labels(); ++f) {
    const auto labels = data.labels_of(rows, f);
    const double auroc = metrics::Ranking(lengths, labels).auroc();  // NaN where all rows have one label
    if (!(std::max(auroc, 1 - auroc) >= kTelling)) continue;
    ++telling;
    if (std::max(auroc, 1 - auroc) > most) most = std::max(auroc, 1 - auroc), first = f;
  }
  if (telling == 0) return;
  char text[16];
  std::snprintf(text, sizeof text, "%.2f", most);
  log::warn("the length of a row alone tells ", telling, " of ", counted(data.labels(), "label"), " (AUROC ", text,
            " of ", data.features[static_cast<size_t>(first)].name,
            "): networks and encoders see where a sequence ends, k-mers do not, so compare them on rows of one length");
}

}  // namespace bigdna::rows
