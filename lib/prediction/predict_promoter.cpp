#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "prediction/predict.h"
#include "prediction/predictor.h"
#include "prediction/promoter_calls.h"
#include "prediction/promoter_tiles.h"

namespace bigdna::prediction {

namespace {
namespace fs = std::filesystem;

std::vector<std::string> outputs_of(const PredictPromoterOptions& o) {
  std::vector<std::string> names;
  for (const auto& name : {o.output, o.bed, o.explain})
    if (!name.empty()) names.push_back(name);
  if (!o.bigwig.empty())
    for (const auto& name : track_names(o.bigwig, o.strands)) names.push_back(name);
  return names;
}

/// The tiles of a shard, and those around it that its calls depend on, in whole chunks.
struct Part {
  int64_t first = 0, last = std::numeric_limits<int64_t>::max();            // of the shard: [first, last)
  int64_t read_first = 0, read_last = std::numeric_limits<int64_t>::max();  // what is read
};
Part part_of(const PredictPromoterOptions& options, PromoterTiles&& all) {
  const int64_t total = all.count();
  const auto [first, last] = options.shard.of(total);
  if (options.bed.empty() || first == last) return {first, last, first, last};
  const int64_t distance = options.merge_distance.value_or(all.length() / 2);
  const int64_t tiles = distance / all.stride() + 2;  // the last tile of a region lies nearer than a stride
  const int64_t chunks = (tiles + session::kPredictionChunk - 1) / session::kPredictionChunk * session::kPredictionChunk;
  return {first, last, std::max<int64_t>(0, first - chunks), std::min(total, last + chunks)};
}
/// --explain: base-resolution importance in the one interval of the input, as bedGraph of the forward strand.
void explain(const PredictPromoterOptions& options, const Predictor& predictor, PromoterTiles tiles) {
  const auto tile = tiles.next(true);
  if (!tile || tiles.next(false))
    fail("--explain explains one interval of ", tiles.length(),
         " bp or less: name it with -r or a start site with -R");
  if (tile->bases.empty()) fail("--explain: ", genome::to_string(tile->region), " is mostly N");
  auto values = predictor.importance(tile->bases, 0, options.explanation);
  if (tile->region.strand == '-') std::reverse(values.begin(), values.end());
  io::Output out(options.explain);
  for (size_t i = 0; i < values.size();) {
    size_t end = i + 1;  // a row for neighbours of one value: the bases of a token
    while (end < values.size() && values[end] == values[i]) ++end;
    const int64_t start = tile->on_contig(tile->region.start + static_cast<int64_t>(i)),
                  stop = tile->on_contig(tile->region.start + static_cast<int64_t>(end));
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", values[i]);
    if (start < stop) out << concat(tile->region.contig, '\t', start, '\t', stop, '\t', text, '\n');
    i = end;
  }
  out.commit();
}
}  // namespace

void predict_promoter(const PredictPromoterOptions& options) {
  const auto outputs = outputs_of(options);
  io::refuse_shared_files(outputs, {options.fasta, options.regions, options.genome});
  const std::string journal_path = outputs.front() + ".journal";
  Predictor predictor(options.model, options.ensemble, "promoter", options.run);
  auto inputs = predictor.weights_paths();
  for (const std::string& path : {options.fasta, options.regions, options.genome}) inputs.push_back(path);
  io::Job job;
  if (options.resume) {
    job = io::job();
    job.set("weights", predictor.identity());
    if (finished_before(outputs, inputs, journal_path, job)) return;
  } else if (outputs.front() != "-") {
    std::error_code ignored;
    std::filesystem::remove(job_record(outputs.front()), ignored);  // of what is replaced now
  }
  const auto& details = predictor.details();
  const auto tiles_from_the_start = [&](genome::IntervalSet seen) {
    return PromoterTiles(options, details.upstream, details.downstream, std::move(seen));
  };
  Part part;
  if (!options.shard.whole()) part = part_of(options, tiles_from_the_start({}));
  auto tiles = tiles_from_the_start(predictor.training_intervals());
  tiles.say_left_out();
  tiles.skip(part.read_first);
  std::optional<ScoreJournal> journal;
  if (options.resume) {
    journal.emplace(journal_path, job);
    if (journal->recorded())
      log::info(journal_path, ": goes on after ", journal->recorded() * session::kPredictionChunk, " intervals");
  }
  if (!predictor.saw("genomic"))
    log::warn(options.model, ": saw synthetic negatives only; on real sequence it calls far too much");
  PromoterWriter writer(options, options.threshold.value_or(details.threshold), details.upstream, tiles);
  predictor.load();
  if (!options.explain.empty()) explain(options, predictor, tiles_from_the_start({}));

  log::Progress progress("predict", 0, "bp");
  uint64_t bases = 0;
  int64_t written = part.read_first, intervals = 0, too_short = 0;
  predict_chunks<PromoterTile>(
      predictor, options.strands, journal ? &*journal : nullptr, part.read_last - part.read_first,
      [&](bool with_bases) { return tiles.next(with_bases); },
      [&](std::vector<PromoterTile>&& chunk, std::vector<float>&& scores) {
        for (size_t i = 0; i < chunk.size(); ++i, ++written) {
          bases += static_cast<uint64_t>(chunk[i].region.length());
          ScoredTile item;
          item.scores[0] = scores[i];
          if (options.strands == session::Strands::both) item.scores[1] = scores[chunk.size() + i];
          const int64_t length = chunk[i].region.length();
          item.tile = std::move(chunk[i]);
          item.ours = written >= part.first && written < part.last;
          intervals += item.ours;
          too_short += item.ours && 2 * length < tiles.length();
          writer.write(std::move(item));
        }
        progress.update(bases);
      });
  writer.commit();
  if (journal) journal->finish(outputs.front());
  predictor.report_truncated();
  if (too_short)
    log::warn(too_short, " of ", intervals, " intervals are shorter than half of the ", tiles.length(), " bp that the model was trained on: their scores mean little");
  if (tiles.seen_count() && !options.seen)
    log::warn(tiles.seen_count(), " intervals overlap what the model was trained on (--seen adds a column)");
  log::info(writer.rows, " rows, ", writer.called, " called",
            writer.without_score ? concat(", ", writer.without_score, " without a score (too many N)") : "",
            options.bed.empty() ? "" : concat(", ", writer.sites, " start sites"));
}

}  // namespace bigdna::prediction
