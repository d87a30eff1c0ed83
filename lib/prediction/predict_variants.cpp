#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/threads.h"
#include "genome/bed.h"
#include "genome/contigs.h"
#include "io/lines.h"
#include "io/side_file.h"
#include "prediction/output_job.h"
#include "prediction/predict.h"
#include "prediction/variant_background.h"
#include "prediction/variant_pictures.h"
#include "prediction/variant_scorer.h"
#include "session/stream.h"
#include "variants/fault_counts.h"
#include "variants/writer.h"

namespace bigdna::prediction {

namespace {
/// The regions that -r and -R choose; nullopt for all of the input.
std::optional<std::vector<genome::Region>> regions_of(const VariantOptions& options, const genome::Genome& genome) {
  if (options.region.empty() && options.regions.empty()) return std::nullopt;
  std::vector<genome::Region> regions;
  if (!options.region.empty()) regions.push_back(genome.parse_region(options.region));
  if (options.regions.empty()) return regions;
  int64_t elsewhere = 0;
  genome::EmptyIntervals empty;
  for (auto& record : genome::read_bed(options.regions)) {
    if (empty.add(record)) {
      if (options.strict) fail(options.regions, ":", record.line, ": ", genome::kEmptyInterval);
      continue;
    }
    const bool absent = !genome.resolve(record.region.contig);
    if (absent && options.strict)
      fail(options.regions, ":", record.line, ": ", options.genome, " has no contig ", record.region.contig);
    elsewhere += absent;
    regions.push_back(std::move(record.region));
  }
  empty.warn(options.regions);
  if (elsewhere)
    log::warn(options.regions, ": ", elsewhere, " of ", counted(regions.size(), "region"),
              elsewhere == 1 ? " is" : " are", " on contigs that ", options.genome, " lacks");
  return regions;
}

/// Records that are scored together.
struct RecordChunk {
  int64_t number = 0;
  std::vector<variants::VcfRecord> records;
  std::vector<PlannedAllele> alleles;  // of all records, in order
  std::optional<std::vector<float>> values;
  bool recorded = false;
};

/// Reads records and plans their alleles.
class RecordChunks {
 public:
  RecordChunks(const VariantOptions& options, variants::VcfReader& reader, const VariantPlaces& places,
               const genome::Genome& genome)
      : options_(options),
        reader_(reader),
        places_(places),
        handle_(genome.reopen()),
        window_(handle_),
        alleles_(reader, window_, options.max_allele) {}

  /// The next records, at most `most`; none at the end.
  RecordChunk next(int64_t most) {
    RecordChunk chunk;
    for (; static_cast<int64_t>(chunk.records.size()) < std::min(most, session::kPredictionChunk);) {
      auto record = reader_.next();
      if (!record) break;
      auto malformed = record->faults.malformed;
      for (const auto& alt : record->alts) {
        auto allele = alleles_.read(*record, alt);
        if (allele.skip == variants::Skip::malformed_record && !malformed)
          malformed = {"REF or ALT does not consist of bases", concat(record->ref, "' and '", alt)};
        if (options_.strict && variants::is_absent(allele.skip))
          fail(record->where, ": ", variants::absence_text(*record, allele, window_));
        chunk.alleles.push_back(
            plan(std::move(allele), places_, window_, options_.null > 0 || options_.model_background));
      }
      faults_.add_malformed(record->where, malformed);
      if (!malformed) faults_.add_tolerated(record->where, record->faults.tolerated);
      chunk.records.push_back(std::move(*record));
    }
    return chunk;
  }
  const variants::FaultCounts& faults() const { return faults_; }

 private:
  const VariantOptions& options_;
  variants::VcfReader& reader_;
  const VariantPlaces& places_;
  genome::Genome handle_;
  variants::GenomeWindow window_;
  variants::AlleleReader alleles_;
  variants::FaultCounts faults_;
};
}  // namespace

void predict_variants(const VariantOptions& options) {
  const auto format = io::format_of(options.output, kVariantFormats);
  VariantScorer scorer(options);
  auto inputs = scorer.models().weights_paths();
  for (const std::string& path : {options.input, options.genome, options.regions, options.sites})
    inputs.push_back(path);
  std::vector<std::string> outputs{options.output};
  if (!options.counts.empty()) outputs.push_back(options.counts);
  io::refuse_shared_files(outputs, inputs);
  io::refuse_outputs_in(outputs, scorer.models().folders());
  io::refuse_outputs_in({options.pictures}, scorer.models().folders());
  if (const auto& folder = scorer.models().members().front().folder; !options.pictures.empty() && !folder.labels_bins())
    throw UsageError("--pictures: only for networks of bigdna train chromatin, and " + options.model +
                     (folder.profile ? " answers for whole sequences" : " reads tokens"));
  OutputJob job(options.resume, outputs, outputs, scorer.identity()["models"]);
  if (job.is_finished(inputs)) {
    if (options.write_index && !io::is_current(options.output + ".csi", options.output))
      variants::write_index(options.output, options.run.threads);
    return;
  }

  const genome::Genome genome(options.genome, options.invalid_bases);
  const VariantPlaces places(options, scorer.models().task(), scorer.models().details(), genome);
  const auto regions = regions_of(options, genome);
  variants::VcfReader reader(options.input, regions);
  if (const auto other = variants::other_lengths(reader, genome); !other.empty()) {
    if (options.strict) fail(other);
    log::warn(other);
  }
  std::pair<int64_t, int64_t> range{0, std::numeric_limits<int64_t>::max()};
  const bool total_known = !options.shard.whole() || !io::reads_once(options.input);
  if (total_known)
    range = options.shard.of(variants::VcfReader(options.input, regions).skip(range.second), session::kPredictionChunk);
  reader.skip(range.first);
  warn_of_auto_precision(options.shard, options.run, scorer.models().placement().precision());
  ScoreJournal* const journal = job.open_journal("records", session::kPredictionChunk);
  scorer.load();
  std::optional<variants::Background> background;
  if (options.null > 0) background = background_of(options, scorer, places, genome);
  if (options.model_background) background = background_of_model(options, scorer, places);
  const size_t columns = scorer.columns().size();
  const auto provenance = scorer.models().provenance();
  const auto writer = variants::make_writer({.path = options.output,
                                             .format = format,
                                             .provenance = provenance,
                                             .columns = scorer.columns(),
                                             .features = scorer.models().features(),
                                             .percentiles = background.has_value(),
                                             .top = options.top,
                                             .strand = places.strand(),
                                             .header = options.shard.first(),
                                             .index = options.write_index,
                                             .threads = options.run.threads},
                                            reader.header());

  VariantPictures pictures(options.pictures, options.strongest);
  io::SideFile counts_file(options.counts);
  RecordChunks chunks(options, reader, places, genome);
  variants::SkipCounts counts;
  const auto seen = scorer.models().training_intervals();
  genome::warn_of_other_genome(seen, options.model, genome);
  int64_t left = range.second - range.first, read = 0, seen_count = 0, without_alternative = 0;
  uint64_t records = 0;
  log::Progress progress("variants", total_known ? static_cast<uint64_t>(left) : 0, "records");
  session::stream(
      scorer.threads(),
      [&]() -> std::optional<RecordChunk> {
        auto chunk = chunks.next(left);
        if (chunk.records.empty()) return std::nullopt;
        left -= static_cast<int64_t>(chunk.records.size());
        chunk.number = read++;
        if (journal) chunk.values = journal->scores_of(chunk.number);
        chunk.recorded = chunk.values.has_value();
        if (chunk.recorded && chunk.values->size() != chunk.alleles.size() * columns) journal->fail_damaged();
        return chunk;
      },
      [&](RecordChunk&& chunk) {
        if (!chunk.recorded) chunk.values = scorer.score(chunk.alleles, places);
        return std::move(chunk);
      },
      [&](RecordChunk&& chunk) {
        if (journal && !chunk.recorded) journal->append(chunk.number, *chunk.values);
        const auto& values = *chunk.values;
        std::vector<float> percentiles(background ? values.size() : 0);
        std::vector<variants::ScoredAllele> scored;
        for (size_t i = 0; i < chunk.alleles.size(); ++i) {
          const auto& planned = chunk.alleles[i];
          const auto& allele = planned.allele;
          counts.add(allele);
          seen_count +=
              allele.skip == variants::Skip::none && seen.overlaps(allele.contig, allele.position, allele.position + 1);
          for (size_t column = 0; background && column < columns; ++column)
            percentiles[i * columns + column] = background->percentile(column, values[i * columns + column],
                                                                       {allele.contig, allele.position, planned.gc});
          const auto row = [&](const std::vector<float>& of) {
            return of.empty() ? std::span<const float>() : std::span(of).subspan(i * columns, columns);
          };
          pictures.add(planned, row(values), scorer.columns());
          scored.push_back({allele, row(values), row(percentiles), planned.contains_n});
        }
        size_t at = 0;
        for (const auto& record : chunk.records) {
          writer->write(record, std::span(scored).subspan(at, record.alts.size()));
          at += record.alts.size();
          without_alternative += record.alts.empty();
        }
        records += chunk.records.size();
        chunk.recorded ? progress.resume(records) : progress.update(records);
      });
  if (options.shard.whole()) counts.refuse_other_genome(options.input, options.genome);
  pictures.draw(scorer, places);
  writer->commit();
  nlohmann::ordered_json all_counts{{"command", "variants"},
                                    {"records", records},
                                    {"without_alternative", without_alternative},
                                    {"alleles", counts.total()},
                                    {"scored", counts.scored()},
                                    {"skipped", counts.by_reason()},
                                    {"malformed", chunks.faults().malformed()},
                                    {"tolerated", chunks.faults().tolerated()},
                                    {"seen", seen_count},
                                    {"seen_unknown", seen.empty() ? counts.scored() : 0}};
  provenance.add_to(all_counts);
  counts_file.write(all_counts.dump(2) + "\n");
  job.finish();
  scorer.models().report_truncated();
  counts.report(options.genome);
  chunks.faults().report();
  if (without_alternative) log::info("records without an alternative allele: ", without_alternative);
  if (seen_count) log::warn(counted(seen_count, "variant is", "variants are"), " in the model's training data");
  log::info(counted(records, "record"), ", ", counted(counts.scored(), "allele"), " scored, ",
            counts.total() - counts.scored(), " skipped");
}

}  // namespace bigdna::prediction
