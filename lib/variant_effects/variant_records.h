/// The records of a VCF on their way through `bigdna variants`: read and planned in chunks, written in order, counted.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "genome/fasta.h"
#include "genome/interval_set.h"
#include "genome/signals.h"
#include "io/side_file.h"
#include "jobs/score_journal.h"
#include "variant_effects/variant_options.h"
#include "variant_effects/strong_alleles.h"
#include "variant_effects/variant_scorer.h"
#include "variants/background.h"
#include "variants/fault_counts.h"
#include "variants/vcf_reader.h"
#include "variants/writer.h"

namespace bigdna::variant_effects {

/// The input's records of this part of the job, from the first on.
struct VariantInput {
  std::optional<std::vector<genome::Region>> regions;
  variants::VcfReader reader;
  int64_t first = 0, last = std::numeric_limits<int64_t>::max();  // of the records that the regions choose
  bool total_known;                                               // that is, `last` is a record's number

  VariantInput(const VariantOptions& options, const genome::Genome& genome);
};

/// Records that are scored together.
struct RecordChunk {
  std::vector<variants::VcfRecord> records;
  std::vector<PlannedAllele> alleles;  // of all records, in order
};

/// Reads records and plans their alleles.
class RecordChunks {
 public:
  using Plan = std::function<PlannedAllele(variants::Allele, variants::GenomeWindow&)>;
  RecordChunks(const VariantOptions& options, variants::VcfReader& reader, const genome::Genome& genome, Plan plan)
      : options_(options),
        reader_(reader),
        plan_(std::move(plan)),
        handle_(genome.reopen()),
        window_(handle_),
        alleles_(window_, options.max_allele) {}

  /// The next records, at most `most`; none at the end.
  RecordChunk next(int64_t most);
  const variants::FaultCounts& faults() const { return faults_; }

 private:
  const VariantOptions& options_;
  variants::VcfReader& reader_;
  Plan plan_;
  genome::Genome handle_;
  variants::GenomeWindow window_;
  variants::AlleleReader alleles_;
  variants::FaultCounts faults_;
};

/// The files that are read beside the models', "" where there is none.
std::vector<std::string> input_files(const VariantOptions& options);
/// The files that are written, without pictures and index.
std::vector<std::string> output_files(const VariantOptions& options);

/// Writes scored records, and counts them.
class RecordSink {
 public:
  /// `seen`: the model's training intervals; `background`: null for no percentiles; `signals`: of --track. All must
  /// outlive this.
  RecordSink(const std::vector<variants::EffectColumn>& columns, const genome::Genome& genome,
             const genome::IntervalSet& seen, const variants::Background* background, genome::Signals& signals,
             variants::VariantWriter& writer, StrongAlleles& strongest);

  /// `effects`: as from VariantScorer::score(). Returns how many records were written so far.
  uint64_t write(const RecordChunk& chunk, std::span<const float> effects);

  const variants::SkipCounts& alleles() const { return alleles_; }
  /// What became of records and alleles, as JSON.
  nlohmann::ordered_json counts(const variants::FaultCounts& faults) const;
  /// Logs the same.
  void report(const std::string& genome, const variants::FaultCounts& faults) const;

 private:
  /// Whether the sequence that is read for an allele overlaps training data; nullopt if that is not known.
  std::optional<bool> seen_in_training(const PlannedAllele& planned) const;
  /// Whether an allele that was scored has no likelihood, because it has more tokens than the model has room for.
  bool lacks_likelihood(std::span<const float> row) const;

  const std::vector<variants::EffectColumn>& columns_;
  const genome::IntervalSet seen_;
  std::set<std::string> other_assembly_;  // contigs that are not those of `seen_`
  const variants::Background* background_;
  genome::Signals& signals_;
  variants::VariantWriter& writer_;
  StrongAlleles& strongest_;
  variants::SkipCounts alleles_;
  int64_t seen_alleles_ = 0, seen_unknown_ = 0, without_alternative_ = 0;
  uint64_t records_ = 0;
};

/// The files that are written, and the strongest alleles: all begin when this is made, so that a name that cannot be
/// written to costs no scores.
class VariantOutputs {
 public:
  /// `of_model`: what the model decides of the main file: format, provenance, columns, features, percentiles, top and
  /// strand; and its tracks. `genome`: of the variants and genes. `drawn`: how many of the strongest alleles are kept
  /// for pictures.
  VariantOutputs(const VariantOptions& options, variants::WriterOptions of_model, const variants::VcfHeader& header,
                 const genome::Genome& genome, int64_t drawn = 0);

  variants::VariantWriter& writer() { return *writer_; }
  StrongAlleles& strongest() { return strongest_; }
  /// Nothing exists under a final name before it.
  void commit(const RecordSink& sink, const variants::FaultCounts& faults);

 private:
  io::Provenance provenance_;
  bool spread_;  // whether SPREAD is among the columns
  std::unique_ptr<variants::VariantWriter> writer_;
  int64_t listed_;
  StrongAlleles strongest_;
  RankedTable table_;
  io::SideFile counts_;
};

/// Scores the records of this part of the job and gives them to `sink`, in order. Error if no allele fits the genome.
/// `columns`: numbers that `score` gives for each allele. `journal`: null for none.
void score_records(const VariantOptions& options, const VariantInput& input, RecordChunks& chunks, RecordSink& sink,
                   jobs::ScoreJournal* journal, int threads, size_t columns,
                   const std::function<std::vector<float>(std::span<const PlannedAllele>)>& score);

}  // namespace bigdna::variant_effects
