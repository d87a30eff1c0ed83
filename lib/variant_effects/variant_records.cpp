#include "variant_effects/variant_records.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "genome/bed.h"
#include "io/lines.h"
#include "jobs/journalled_stream.h"
#include "session/run_options.h"

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
  for (auto& record : genome::read_bed(options.regions, genome::StrandColumn::ignored)) {
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
}  // namespace

VariantInput::VariantInput(const VariantOptions& options, const genome::Genome& genome)
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

RecordChunk RecordChunks::next(int64_t most) {
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
      chunk.alleles.push_back(plan_(std::move(allele), window_));
    }
    faults_.add_malformed(record->where, malformed);
    if (!malformed) faults_.add_tolerated(record->where, record->faults.tolerated);
    chunk.records.push_back(std::move(*record));
  }
  return chunk;
}

RecordSink::RecordSink(const std::vector<variants::EffectColumn>& columns, const genome::Genome& genome,
                       const genome::IntervalSet& seen, const variants::Background* background,
                       genome::Signals& signals, variants::VariantWriter& writer, StrongAlleles& strongest)
    : columns_(columns),
      seen_(genome::in_genome(seen, genome.contigs())),
      background_(background),
      signals_(signals),
      writer_(writer),
      strongest_(strongest) {
  for (const auto& contig : genome.contigs())
    if (!seen_.fits(contig.name, contig.length)) other_assembly_.insert(contig.name);
}

std::optional<bool> RecordSink::seen_in_training(const PlannedAllele& planned) const {
  const auto& allele = planned.allele;
  if (seen_.empty() || other_assembly_.contains(allele.contig)) return {};
  return std::ranges::any_of(planned.intervals, [&](const genome::Region& read) {
    return seen_.overlaps(read.contig, std::max<int64_t>(0, read.start), read.end);
  });
}

bool RecordSink::lacks_likelihood(std::span<const float> row) const {
  for (size_t i = 0; i < row.size(); ++i)
    if (!variants::is_of_outputs(columns_[i].effect) && std::isnan(row[i])) return true;
  return false;
}

uint64_t RecordSink::write(const RecordChunk& chunk, std::span<const float> computed) {
  const size_t columns = columns_.size();
  std::vector<float> effects(computed.begin(), computed.end());
  std::vector<float> percentiles(background_ ? effects.size() : 0);
  std::vector<variants::ScoredAllele> scored;
  for (size_t i = 0; i < chunk.alleles.size(); ++i) {
    const auto& planned = chunk.alleles[i];
    auto allele = planned.allele;
    const auto row = std::span(effects).subspan(i * columns, columns);
    if (allele.skip == variants::Skip::none && lacks_likelihood(row)) {
      allele.skip = variants::Skip::allele_too_long;
      std::ranges::fill(row, NAN);
    }
    size_t ranked = 0;  // of the background's columns
    for (size_t column = 0; background_ && column < columns; ++column)
      percentiles[i * columns + column] =
          variants::has_percentile(columns_[column].effect)
              ? background_->percentile(ranked++, row[column], {allele.contig, allele.position, planned.gc})
              : NAN;
    alleles_.add(allele);
    const auto seen = allele.skip == variants::Skip::none ? seen_in_training(planned) : std::nullopt;
    seen_alleles_ += seen.value_or(false);
    seen_unknown_ += allele.skip == variants::Skip::none && !seen;
    scored.push_back(
        {allele, row,
         background_ ? std::span<const float>(percentiles).subspan(i * columns, columns) : std::span<const float>(),
         planned.contains_n, seen});
  }
  size_t at = 0;
  for (const auto& record : chunk.records) {
    const auto alleles = std::span(scored).subspan(at, record.alts.size());
    if (!alleles.empty()) {
      const auto& ref = alleles.front().allele;
      const auto tracks = signals_.at(ref.contig, ref.position, ref.position + std::ssize(record.ref));
      for (auto& allele : alleles) allele.tracks = tracks;
    }
    writer_.write(record, alleles);
    for (size_t alt = 0; alt < record.alts.size(); ++alt, ++at)
      strongest_.add(record, alt, chunk.alleles[at], scored[at], columns_);
    without_alternative_ += record.alts.empty();
  }
  return records_ += chunk.records.size();
}

nlohmann::ordered_json RecordSink::counts(const variants::FaultCounts& faults) const {
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

void RecordSink::report(const std::string& genome, const variants::FaultCounts& faults) const {
  alleles_.report(genome);
  faults.report();
  if (without_alternative_) log::info("records without an alternative allele: ", without_alternative_);
  if (seen_alleles_) log::warn(counted(seen_alleles_, "variant is", "variants are"), " in the model's training data");
  log::info(counted(records_, "record"), ", ", counted(alleles_.scored(), "allele"), " scored, ",
            alleles_.total() - alleles_.scored(), " skipped");
}

std::vector<std::string> input_files(const VariantOptions& options) {
  std::vector<std::string> files{options.input, options.genome, options.regions,
                                 options.sites, options.peaks,  options.genes};
  for (const auto& track : options.tracks) files.push_back(genome::path_of_named(track));
  return files;
}

std::vector<std::string> output_files(const VariantOptions& options) {
  std::vector<std::string> files{options.output};
  for (const std::string& path : {options.counts, options.table})
    if (!path.empty()) files.push_back(path);
  return files;
}

namespace {
variants::WriterOptions writer_options(const VariantOptions& options, variants::WriterOptions of_model) {
  of_model.path = options.output;
  of_model.header = options.shard.first();
  of_model.index = options.write_index;
  of_model.threads = options.run.threads;
  for (const auto& track : options.tracks) of_model.tracks.push_back(genome::named_file(track));
  return of_model;
}

std::vector<std::string> track_names(const std::vector<std::string>& tracks) {
  std::vector<std::string> names;
  for (const auto& track : tracks) names.push_back(genome::named_file(track).name);
  return names;
}

std::optional<dataset::NearestSites> genes_of(const VariantOptions& options, const genome::Genome& genome) {
  if (options.genes.empty()) return std::nullopt;
  return dataset::NearestSites(genome, options.genes);
}
}  // namespace

VariantOutputs::VariantOutputs(const VariantOptions& options, variants::WriterOptions of_model,
                               const variants::VcfHeader& header, const genome::Genome& genome, int64_t drawn)
    : provenance_(of_model.provenance),
      spread_(
          std::ranges::any_of(of_model.columns, [](const auto& of) { return of.effect == variants::Effect::spread; })),
      writer_(variants::make_writer(writer_options(options, std::move(of_model)), header)),
      listed_(options.table.empty() ? 0 : options.table_rows.value_or(VariantOptions::kListed)),
      strongest_(std::max(drawn, listed_)),
      table_(options.table, provenance_, genes_of(options, genome), track_names(options.tracks), spread_),
      counts_(options.counts) {}

void VariantOutputs::commit(const RecordSink& sink, const variants::FaultCounts& faults) {
  table_.write(strongest_.first(listed_), strongest_.offered());
  writer_->commit();
  auto counts = sink.counts(faults);
  provenance_.add_to(counts);
  counts_.write(counts.dump(2) + "\n");
}

void score_records(const VariantOptions& options, const VariantInput& input, RecordChunks& chunks, RecordSink& sink,
                   jobs::ScoreJournal* journal, int threads, size_t columns,
                   const std::function<std::vector<float>(std::span<const PlannedAllele>)>& score) {
  int64_t left = input.last - input.first;
  log::Progress progress("variants", input.total_known ? static_cast<uint64_t>(left) : 0, "records");
  jobs::JournalledStream<RecordChunk>{
      .threads = threads,
      .journal = journal,
      .read = [&](int64_t, bool) -> std::optional<RecordChunk> {
        auto chunk = chunks.next(std::min(left, session::kPredictionChunk));
        if (chunk.records.empty()) return std::nullopt;
        left -= std::ssize(chunk.records);
        return chunk;
      },
      .size = [&](const RecordChunk& chunk) { return chunk.alleles.size() * columns; },
      .score = [&](const RecordChunk& chunk) { return score(chunk.alleles); },
      .write = [&](const RecordChunk& chunk, const auto& effects) { return sink.write(chunk, effects); }}
      .run(progress);
  if (options.shard.whole()) sink.alleles().refuse_other_genome(options.input, options.genome);
}

}  // namespace bigdna::variant_effects
