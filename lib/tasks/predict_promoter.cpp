#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "base/threads.h"
#include "genome/bed.h"
#include "genome/fasta.h"
#include "io/output.h"
#include "model/parameters.h"
#include "tasks/classifier.h"
#include "tasks/finetune.h"
#include "tasks/predict.h"

namespace bigdna::tasks {

namespace {
/// One interval to score. `region` is where its bases lie, in the names of the input.
struct Tile {
  genome::Region region;
  std::string name, bases;
  bool last = false;     // of its record
  bool scorable = true;  // not mostly N
  bool seen = false;
};

/// Yields tiles of records or regions one by one.
class Tiles {
 public:
  Tiles(const PredictPromoterOptions& options, const TaskDetails& details, genome::IntervalSet seen)
      : options_(options),
        details_(details),
        length_(details.upstream + details.downstream),
        stride_(options.stride ? options.stride : std::max<int64_t>(1, length_ / 4)),
        seen_(std::move(seen)) {
    if (options.regions.empty() && options.region.empty()) {
      records_.emplace(options.fasta, options.invalid_bases);
      return;
    }
    genome_.emplace(options.genome, options.invalid_bases);
    if (!options.region.empty())
      single_ = genome_->parse_region(options.region);
    else
      bed_.emplace(options.regions);
  }

  std::optional<Tile> next() {
    while (true) {
      if (at_ < ends_) return cut();
      if (!load()) return std::nullopt;
    }
  }
  int64_t seen_count() const { return seen_count_; }

 private:
  /// The next record or region: bases_ and region_. Tiles start at 0, stride, ... and the last one ends with
  /// the record.
  bool load() {
    if (records_) {
      auto record = records_->next();
      if (!record) return false;
      name_ = record->name;
      region_ = {record->name, 0, static_cast<int64_t>(record->bases.size()), '+'};
      bases_ = std::move(record->bases);
    } else {
      std::string where;
      if (single_) {
        region_ = *single_;
        where = options_.region;
        name_ = ".";
        single_.reset();
      } else if (bed_) {
        auto record = bed_->next();
        if (!record) return false;
        region_ = record->region;
        name_ = record->name.empty() ? "." : record->name;
        where = concat(bed_->path(), ":", record->line);
      } else {
        return false;
      }
      read_region(where);
    }
    at_ = 0;
    ends_ = static_cast<int64_t>(bases_.size()) > 0
                ? 1 + std::max<int64_t>(
                          0, (static_cast<int64_t>(bases_.size()) - length_ + stride_ - 1) / stride_)
                : 0;
    if (ends_ == 0) log::warn(region_.contig, ": has no bases and gets no row");
    return true;
  }

  void read_region(const std::string& where) {
    const std::string contig = genome_->require(region_, where);
    if (region_.length() == 1) {  // a start site: what the model reads around it
      const int64_t site = region_.start;
      region_ = region_.strand == '-' ? genome::Region{region_.contig, site - details_.downstream + 1,
                                                       site + details_.upstream + 1, '-'}
                                      : genome::Region{region_.contig, site - details_.upstream,
                                                       site + details_.downstream, region_.strand};
    }
    genome::Region spelled = region_;
    spelled.contig = contig;
    bases_ = genome_->fetch(spelled);
    spelled_ = contig;
  }

  Tile cut() {
    const int64_t size = static_cast<int64_t>(bases_.size()), length = std::min(length_, size);
    const int64_t begin = std::min(at_ * stride_, size - length);
    Tile tile;
    tile.name = name_;
    tile.bases = bases_.substr(static_cast<size_t>(begin), static_cast<size_t>(length));
    const bool reverse = region_.strand == '-';
    tile.region = {region_.contig, reverse ? region_.end - begin - length : region_.start + begin,
                   reverse ? region_.end - begin : region_.start + begin + length, reverse ? '-' : '+'};
    tile.scorable = static_cast<double>(genome::count_n(tile.bases)) <=
                    options_.max_n_fraction * static_cast<double>(length);
    const auto inside = std::max<int64_t>(0, tile.region.start);
    tile.seen = seen_.overlaps(records_ ? region_.contig : spelled_, inside, tile.region.end);
    seen_count_ += tile.seen;
    // a tile past the contig's start is written from 0 on, so that every row is valid BED
    tile.region.start = inside;
    tile.last = ++at_ == ends_;
    return tile;
  }

  const PredictPromoterOptions& options_;
  const TaskDetails& details_;
  const int64_t length_, stride_;
  genome::IntervalSet seen_;
  std::optional<genome::FastaReader> records_;
  std::optional<genome::Genome> genome_;
  std::optional<genome::BedReader> bed_;
  std::optional<genome::Region> single_;
  genome::Region region_;
  std::string name_, bases_, spelled_;
  int64_t at_ = 0, ends_ = 0, seen_count_ = 0;
};

struct ScoredTile {
  Tile tile;
  std::optional<float> score, reverse_score;
};

class Writer {
 public:
  Writer(const PredictPromoterOptions& options, double threshold)
      : options_(options), threshold_(threshold), out_(options.output) {
    if (options.format == PredictPromoterOptions::Format::tsv)
      out_ << (options.seen ? "#chrom\tstart\tend\tname\tscore\tstrand\tcall\tseen\n"
                            : "#chrom\tstart\tend\tname\tscore\tstrand\tcall\n");
  }
  void write(const ScoredTile& item) {
    row(item.tile, item.score, options_.strands == Strands::average ? '.' : item.tile.region.strand);
    if (options_.strands == Strands::both)
      row(item.tile, item.reverse_score, item.tile.region.strand == '-' ? '+' : '-');
  }
  void commit() { out_.commit(); }
  int64_t called = 0, rows = 0, without_score = 0;

 private:
  void row(const Tile& tile, std::optional<float> score, char strand) {
    const bool call = score && *score >= threshold_;
    ++rows;
    called += call;
    without_score += !score;
    char text[64];
    if (options_.format == PredictPromoterOptions::Format::bed) {
      if (!call) return;
      std::snprintf(text, sizeof text, "%d", static_cast<int>(std::lround(*score * 1000)));
      out_ << concat(tile.region.contig, '\t', tile.region.start, '\t', tile.region.end, '\t', tile.name,
                     '\t', text, '\t', strand, '\n');
      return;
    }
    if (score)
      std::snprintf(text, sizeof text, "%.6f", *score);
    else
      std::snprintf(text, sizeof text, ".");
    out_ << concat(tile.region.contig, '\t', tile.region.start, '\t', tile.region.end, '\t', tile.name, '\t',
                   text, '\t', strand, '\t', score ? call ? "1" : "0" : ".");
    if (options_.seen) out_ << (tile.seen ? "\t1" : "\t0");
    out_ << "\n";
  }

  const PredictPromoterOptions& options_;
  const double threshold_;
  io::Output out_;
};

/// Of a record's tiles, the one with the greatest score of either strand.
class Best {
 public:
  std::optional<ScoredTile> add(ScoredTile item) {
    const auto value = [](const ScoredTile& tile) {
      return std::max(tile.score.value_or(-1), tile.reverse_score.value_or(-1));
    };
    const bool last = item.tile.last;
    if (!best_ || value(item) > value(*best_)) best_ = std::move(item);
    if (!last) return std::nullopt;
    return std::exchange(best_, std::nullopt);
  }

 private:
  std::optional<ScoredTile> best_;
};
}  // namespace

void predict_promoter(const PredictPromoterOptions& options) {
  const auto folder = open_task_model(options.model, "promoter");
  const auto details = TaskDetails::of(folder);
  for (const auto& input : {options.fasta, options.regions})
    if (!input.empty()) io::refuse_same_file(options.output, input);

  const Classifier classifier(folder.config, folder.vocabulary, details.applied_to(options.run));
  const auto parameters =
      to_device(model::load_weights(folder.config, folder.weights_path()), classifier.device());
  const bool genomic =
      std::find(details.negatives.begin(), details.negatives.end(), "genomic") != details.negatives.end();
  if (!genomic && !details.negatives.empty())
    log::warn(folder.path, ": saw synthetic negatives only; on real sequence it calls far too much");

  Tiles tiles(options, details, folder.training_intervals());
  Writer writer(options, options.threshold.value_or(details.threshold));
  Best best;
  log::Progress progress("predict", 0, "bp");
  uint64_t bases = 0;
  const OneThreadPerOperation guard;
  constexpr size_t kChunk =
      16;  // tiles scored together: fixed, so that the output does not depend on the threads
  using Chunk = std::vector<Tile>;
  ordered_pipeline(
      classifier.device().is_cpu() ? options.run.threads : 1,
      [&]() -> std::optional<Chunk> {
        Chunk chunk;
        while (chunk.size() < kChunk) {
          auto tile = tiles.next();
          if (!tile) break;
          chunk.push_back(std::move(*tile));
        }
        if (chunk.empty()) return std::nullopt;
        return chunk;
      },
      [&](Chunk&& chunk) {
        std::vector<std::string> sequences;
        for (const auto& tile : chunk)
          if (tile.scorable) sequences.push_back(tile.bases);
        const bool both = options.strands == Strands::both;
        const auto scores =
            classifier.score_here(parameters, sequences, both ? Strands::forward : options.strands);
        std::vector<float> reverse_scores;
        if (both) {
          for (auto& sequence : sequences) genome::reverse_complement_in_place(sequence);
          reverse_scores = classifier.score_here(parameters, sequences, Strands::forward);
        }
        std::vector<ScoredTile> scored;
        size_t at = 0;
        for (auto& tile : chunk) {
          ScoredTile item{std::move(tile), {}, {}};
          if (item.tile.scorable) {
            item.score = correct_for_weight(scores[at], details.positive_weight);
            if (both) item.reverse_score = correct_for_weight(reverse_scores[at], details.positive_weight);
            ++at;
          }
          scored.push_back(std::move(item));
        }
        return scored;
      },
      [&](std::vector<ScoredTile>&& scored) {
        for (auto& item : scored) {
          bases += item.tile.bases.size();
          if (options.rows == PredictPromoterOptions::Rows::tile) {
            writer.write(item);
          } else if (const auto chosen = best.add(std::move(item))) {
            writer.write(*chosen);
          }
        }
        progress.update(bases);
      });
  writer.commit();
  classifier.report_truncated();
  if (tiles.seen_count() && !options.seen)
    log::warn(tiles.seen_count(), " intervals overlap what the model was trained on (--seen adds a column)");
  log::info(writer.rows, " rows, ", writer.called, " called",
            writer.without_score ? concat(", ", writer.without_score, " without a score (too many N)") : "");
}

}  // namespace bigdna::tasks
