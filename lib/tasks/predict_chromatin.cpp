#include <algorithm>
#include <cstdio>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "base/threads.h"
#include "dataset/chromatin_dataset.h"
#include "genome/bed.h"
#include "genome/fasta.h"
#include "io/output.h"
#include "model/parameters.h"
#include "tasks/classifier.h"
#include "tasks/finetune.h"
#include "tasks/predict.h"

namespace bigdna::tasks {

namespace {
/// The bin of the region's centre with its context, and its row as far as it is known before scoring.
struct Item {
  std::string bases;
  std::string row;
};

class Regions {
 public:
  Regions(const PredictChromatinOptions& options, const TaskDetails& details, genome::IntervalSet seen)
      : options_(options),
        details_(details),
        seen_(std::move(seen)),
        genome_(options.genome, options.invalid_bases),
        bed_(options.regions),
        pending_(bed_.next()) {
    further_ = pending_ ? pending_->extra.size() : 0;
  }

  /// Columns past the sixth, by the first record.
  size_t further_columns() const { return further_; }
  int64_t seen_count() const { return seen_count_; }

  std::optional<Item> next() {
    if (!pending_) return std::nullopt;
    const auto record = std::move(*pending_);
    pending_ = bed_.next();
    const auto& region = record.region;
    const auto where = [&] { return concat(bed_.path(), ":", record.line); };
    const std::string contig = genome_.require(region, where());
    if (record.extra.size() != further_)
      fail(where(), ": ", record.extra.size() + 6, " columns, the first record has ", further_ + 6);
    const int64_t start = (region.start + region.end) / 2 - dataset::kBin / 2;
    const genome::Region bin{contig, start, start + dataset::kBin, '+'};
    Item item;
    item.bases = genome_.fetch(dataset::with_context(bin, details_.upstream, details_.downstream));
    item.row = concat(region.contig, '\t', region.start, '\t', region.end, '\t',
                      record.name.empty() ? "." : record.name, '\t',
                      record.score.empty() ? "." : record.score, '\t', region.strand);
    for (const auto& value : record.extra) item.row += concat('\t', value);
    const bool seen = seen_.overlaps(contig, std::max<int64_t>(0, bin.start), bin.end);
    seen_count_ += seen;
    if (options_.seen) item.row += seen ? "\t1" : "\t0";
    return item;
  }

 private:
  const PredictChromatinOptions& options_;
  const TaskDetails& details_;
  genome::IntervalSet seen_;
  genome::Genome genome_;
  genome::BedReader bed_;
  std::optional<genome::BedRecord> pending_;
  size_t further_ = 0;
  int64_t seen_count_ = 0;
};
}  // namespace

void predict_chromatin(const PredictChromatinOptions& options) {
  const auto folder = open_task_model(options.model, "chromatin");
  const auto details = TaskDetails::of(folder);
  const auto features = dataset::read_features(folder.path + "/features.tsv");
  if (static_cast<int64_t>(features.size()) != folder.config.labels)
    fail(folder.path, "/features.tsv: ", features.size(), " features, the model has ", folder.config.labels);
  const auto chosen = dataset::choose_features(features, options.features);
  io::refuse_same_file(options.output, options.regions);
  Regions regions(options, details,
                  folder.training_intervals());  // opened before the model: bad input is told at once

  const Classifier classifier(folder.config, folder.vocabulary, details.applied_to(options.run));
  const auto parameters =
      to_device(model::load_weights(folder.config, folder.weights_path()), classifier.device());

  io::Output out(options.output);
  if (details.positive_weight != 1)
    out << concat("## probabilities corrected for the positive weight w = ", details.positive_weight,
                  " of training: p = q / (q + w (1 - q))\n");
  out << "#chrom\tstart\tend\tname\tscore\tstrand";
  for (size_t i = 0; i < regions.further_columns(); ++i) out << concat("\tcolumn", i + 7);
  if (options.seen) out << "\tseen";
  for (const int64_t f : chosen) {
    const auto& feature = features[static_cast<size_t>(f)];
    out << concat('\t', feature.name, feature.cell == "-" ? "" : "|" + feature.cell);
  }
  out << "\n";

  log::Progress progress("chromatin", 0, "regions");
  uint64_t rows = 0;
  const OneThreadPerOperation guard;
  constexpr size_t kChunk =
      16;  // regions scored together: fixed, so that the output does not depend on the threads
  using Chunk = std::vector<Item>;
  ordered_pipeline(
      classifier.device().is_cpu() ? options.run.threads : 1,
      [&]() -> std::optional<Chunk> {
        Chunk chunk;
        while (chunk.size() < kChunk) {
          auto item = regions.next();
          if (!item) break;
          chunk.push_back(std::move(*item));
        }
        if (chunk.empty()) return std::nullopt;
        return chunk;
      },
      [&](Chunk&& chunk) {
        std::vector<std::string> sequences;
        for (auto& item : chunk) sequences.push_back(std::move(item.bases));
        const auto scores = classifier.score_here(parameters, sequences, options.strands);
        std::string text;
        for (size_t i = 0; i < chunk.size(); ++i) {
          text += chunk[i].row;
          for (const int64_t f : chosen) {
            char number[32];
            std::snprintf(number, sizeof number, "\t%.6f",
                          correct_for_weight(scores[i * features.size() + static_cast<size_t>(f)],
                                             details.positive_weight));
            text += number;
          }
          text += "\n";
        }
        return std::make_pair(text, chunk.size());
      },
      [&](std::pair<std::string, size_t>&& done) {
        out << done.first;
        rows += done.second;
        progress.update(rows);
      });
  out.commit();
  classifier.report_truncated();
  if (regions.seen_count() && !options.seen)
    log::warn(regions.seen_count(), " regions overlap what the model was trained on (--seen adds a column)");
  log::info(rows, " regions, ", chosen.size(), " features");
}

}  // namespace bigdna::tasks
