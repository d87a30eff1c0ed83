#include "variant_effects/predict_variants.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <tuple>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/threads.h"
#include "genome/bed.h"
#include "genome/contigs.h"
#include "io/lines.h"
#include "io/side_file.h"
#include "jobs/journalled_stream.h"
#include "jobs/output_job.h"
#include "prediction/predict.h"
#include "variant_effects/variant_background.h"
#include "variant_effects/variant_pictures.h"
#include "variant_effects/variant_scorer.h"
#include "variants/fault_counts.h"
#include "variants/index_check.h"
#include "variants/writer.h"

namespace bigdna::variant_effects {

namespace {
/// The regions that -r and -R choose; nullopt for all of the input.
std::optional<std::vector<genome::Region>> regions_of(const VariantOptions& options, const genome::Genome& genome) {
  if (options.region.empty() && options.regions.empty()) return std::nullopt;
  std::vector<genome::Region> regions;
  if (!options.region.empty()) regions.push_back(genome.parse_region(options.region));
  if (options.regions.empty()) return regions;
  int64_t elsewhere = 0;
  genome::EmptyIntervals empty;
  for (auto& record : genome::read_bed(options.regions, genome::Strands::ignored)) {
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

/// Refuses outputs that are inputs or each other, or lie in a model's folder, and pictures by a model that has none.
void refuse_outputs(const VariantOptions& options, const models::Ensemble& models,
                    const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  io::refuse_shared_files(outputs, inputs);
  io::refuse_outputs_in(outputs, models.folders());
  io::refuse_outputs_in({options.pictures}, models.folders());
  if (const auto& folder = models.members().front().folder(); !options.pictures.empty() && !folder.labels_bins())
    throw UsageError("--pictures: only for networks that label bins (bigdna train on a chromatin dataset), and " +
                     options.model + (folder.network ? " answers for whole sequences" : " reads tokens"));
}

/// The input's records of this part of the job, from the first on.
struct VariantInput {
  std::optional<std::vector<genome::Region>> regions;
  variants::VcfReader reader;
  int64_t first = 0, last = std::numeric_limits<int64_t>::max();  // of the records that the regions choose
  bool total_known;                                               // that is, `last` is a record's number

  VariantInput(const VariantOptions& options, const genome::Genome& genome)
      : regions(regions_of(options, genome)),
        reader(options.input, regions),
        total_known(!options.shard.whole() || !io::reads_once(options.input)) {
    if (const auto& fault = reader.header().fault; !fault.empty())
      log::warn(fault, " (nothing depends on it, and it is kept)");
    if (const auto other = variants::other_lengths(reader, genome); !other.empty()) {
      if (options.strict) fail(other);
      log::warn(other);
    }
    if (total_known)
      std::tie(first, last) =
          options.shard.of(variants::VcfReader(options.input, regions).skip(last), session::kPredictionChunk);
    reader.skip(first);
  }
};

/// Records that are scored together.
struct RecordChunk {
  std::vector<variants::VcfRecord> records;
  std::vector<PlannedAllele> alleles;  // of all records, in order
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
        alleles_(window_, options.max_allele) {}

  /// The next records, at most `most`; none at the end.
  RecordChunk next(int64_t most) {
    RecordChunk chunk;
    while (std::ssize(chunk.records) < most) {
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

/// Writes scored records, and counts them.
class RecordSink {
 public:
  /// `seen`: the model's training intervals; `background`: null for no percentiles. All must outlive this.
  RecordSink(const std::vector<variants::Column>& columns, const genome::Genome& genome,
             const genome::IntervalSet& seen, const variants::Background* background, variants::VariantWriter& writer,
             VariantPictures& pictures)
      : columns_(columns), seen_(seen), background_(background), writer_(writer), pictures_(pictures) {
    for (const auto& contig : genome.contigs())
      if (!seen_.fits(contig.name, contig.length)) other_assembly_.insert(contig.name);
  }

  /// `effects`: as from VariantScorer::score(). Returns how many records were written so far.
  uint64_t write(const RecordChunk& chunk, std::span<const float> effects) {
    const size_t columns = columns_.size();
    std::vector<float> percentiles(background_ ? effects.size() : 0);
    std::vector<variants::ScoredAllele> scored;
    for (size_t i = 0; i < chunk.alleles.size(); ++i) {
      const auto& [allele, intervals, around, around_start, contains_n, gc] = chunk.alleles[i];
      const auto row = effects.subspan(i * columns, columns);
      for (size_t column = 0; background_ && column < columns; ++column)
        percentiles[i * columns + column] =
            background_->percentile(column, row[column], {allele.contig, allele.position, gc});
      alleles_.add(allele);
      if (allele.skip == variants::Skip::none) {
        if (seen_.empty() || other_assembly_.contains(allele.contig))
          ++seen_unknown_;
        else
          seen_alleles_ += seen_.overlaps(allele.contig, allele.position, allele.position + 1);
      }
      pictures_.add(chunk.alleles[i], row, columns_);
      scored.push_back(
          {allele, row,
           background_ ? std::span<const float>(percentiles).subspan(i * columns, columns) : std::span<const float>(),
           contains_n});
    }
    size_t at = 0;
    for (const auto& record : chunk.records) {
      writer_.write(record, std::span(scored).subspan(at, record.alts.size()));
      at += record.alts.size();
      without_alternative_ += record.alts.empty();
    }
    return records_ += chunk.records.size();
  }

  const variants::SkipCounts& alleles() const { return alleles_; }
  /// What became of records and alleles, as JSON.
  nlohmann::ordered_json counts(const variants::FaultCounts& faults) const {
    return {{"command", "variants"},
            {"records", records_},
            {"without_alternative", without_alternative_},
            {"alleles", alleles_.total()},
            {"scored", alleles_.scored()},
            {"skipped", alleles_.by_reason()},
            {"malformed", faults.malformed()},
            {"tolerated", faults.tolerated()},
            {"seen", seen_alleles_},
            {"seen_unknown", seen_unknown_}};
  }
  /// Logs the same.
  void report(const std::string& genome, const variants::FaultCounts& faults) const {
    alleles_.report(genome);
    faults.report();
    if (without_alternative_) log::info("records without an alternative allele: ", without_alternative_);
    if (seen_alleles_) log::warn(counted(seen_alleles_, "variant is", "variants are"), " in the model's training data");
    log::info(counted(records_, "record"), ", ", counted(alleles_.scored(), "allele"), " scored, ",
              alleles_.total() - alleles_.scored(), " skipped");
  }

 private:
  const std::vector<variants::Column>& columns_;
  const genome::IntervalSet& seen_;
  std::set<std::string> other_assembly_;  // contigs that are not those of `seen_`
  const variants::Background* background_;
  variants::VariantWriter& writer_;
  VariantPictures& pictures_;
  variants::SkipCounts alleles_;
  int64_t seen_alleles_ = 0, seen_unknown_ = 0, without_alternative_ = 0;
  uint64_t records_ = 0;
};

}  // namespace

void predict_variants(const VariantOptions& options) {
  const auto format = io::format_of(options.output, prediction::kVariantFormats);
  VariantScorer scorer(options);
  const models::Ensemble& models = scorer.models();
  auto inputs = models.weights_paths();
  for (const std::string& path : {options.input, options.genome, options.regions, options.sites})
    inputs.push_back(path);
  std::vector<std::string> outputs{options.output};
  if (!options.counts.empty()) outputs.push_back(options.counts);
  refuse_outputs(options, models, inputs, outputs);
  jobs::OutputJob job(options.resume, outputs, outputs, scorer.identity()["models"]);
  if (job.is_finished(inputs)) {
    const std::string index = options.output + ".csi";
    if (options.write_index &&
        (!io::is_current(index, options.output) || !variants::fault_of_index(index, options.output).empty()))
      variants::write_index(options.output, options.run.threads);
    return;
  }

  const genome::Genome genome(options.genome, options.invalid_bases);
  const VariantPlaces places(options, models.task(), scorer.details(), genome);
  VariantInput input(options, genome);
  prediction::warn_of_auto_precision(options.shard, options.run, models.placement().precision());
  jobs::ScoreJournal* const journal = job.open_journal("records", session::kPredictionChunk);
  scorer.load();
  std::optional<variants::Background> background;
  if (options.null > 0) background = background_of(options, scorer, places, genome);
  if (options.model_background) background = background_of_model(options, scorer, places);
  const auto provenance = models.provenance();
  const auto writer = variants::make_writer({.path = options.output,
                                             .format = format,
                                             .provenance = provenance,
                                             .columns = scorer.columns(),
                                             .features = models.features(),
                                             .percentiles = background.has_value(),
                                             .top = options.top,
                                             .strand = places.strand(),
                                             .header = options.shard.first(),
                                             .index = options.write_index,
                                             .threads = options.run.threads},
                                            input.reader.header());

  VariantPictures pictures(options.pictures, options.strongest);
  io::SideFile counts_file(options.counts);
  RecordChunks chunks(options, input.reader, places, genome);
  const auto seen = models.training_intervals();
  genome::warn_of_other_genome(seen, options.model, genome.contigs(), genome.path());
  RecordSink sink(scorer.columns(), genome, seen, background ? &*background : nullptr, *writer, pictures);
  int64_t left = input.last - input.first;
  log::Progress progress("variants", input.total_known ? static_cast<uint64_t>(left) : 0, "records");
  jobs::JournalledStream<RecordChunk>{
      .threads = scorer.threads(),
      .journal = journal,
      .read = [&](int64_t, bool) -> std::optional<RecordChunk> {
        auto chunk = chunks.next(std::min(left, session::kPredictionChunk));
        if (chunk.records.empty()) return std::nullopt;
        left -= std::ssize(chunk.records);
        return chunk;
      },
      .size = [&](const RecordChunk& chunk) { return chunk.alleles.size() * scorer.columns().size(); },
      .score = [&](const RecordChunk& chunk) { return scorer.score(chunk.alleles, places); },
      .write = [&](const RecordChunk& chunk, const auto& effects) { return sink.write(chunk, effects); }}
      .run(progress);
  if (options.shard.whole()) sink.alleles().refuse_other_genome(options.input, options.genome);
  pictures.draw(scorer, places);
  writer->commit();
  auto counts = sink.counts(chunks.faults());
  provenance.add_to(counts);
  counts_file.write(counts.dump(2) + "\n");
  job.finish();
  models.report_truncated();
  sink.report(options.genome, chunks.faults());
}

}  // namespace bigdna::variant_effects
