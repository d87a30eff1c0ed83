#include "apps/options/liftover.h"

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "genome/bed.h"
#include "genome/fasta.h"
#include "genome/lifted_record.h"
#include "io/lines.h"
#include "io/output.h"
#include "io/provenance.h"
#include "variants/lifted_variant.h"
#include "variants/vcf_output.h"

namespace bigdna::apps {

namespace {
/// Contigs of the input that no chain is from.
class UnknownContigs {
 public:
  UnknownContigs(const LiftoverOptions& options, const genome::Chains& chains)
      : path_(options.chain), chains_(chains) {}
  void add(const std::string& contig) {
    if (!chains_.has_contig(contig)) contigs_.insert(contig);
  }
  void warn() const {
    if (!contigs_.empty())
      log::warn(path_, ": has no chain from ", counted(contigs_.size(), "contig"), ", ", *contigs_.begin(),
                contigs_.size() > 1 ? " and others" : "");
  }

 private:
  const std::string& path_;
  const genome::Chains& chains_;
  std::set<std::string> contigs_;
};

/// Behind the lines that begin a custom track, also of bedGraph. Error for VCF, which needs --genome.
genome::BedReader open_bed(const std::string& path) {
  io::LineReader lines(path);
  std::string first(lines.next().value_or(""));
  while (first.starts_with("track") || first.starts_with("browser")) first = lines.next().value_or("");
  if (first.starts_with("##fileformat=VCF"))
    fail(lines.path(), ": is VCF, which is lifted with -g, the FASTA of the assembly that the chain leads to");
  return {std::move(lines), first, genome::StrandColumn::ignored};
}

void lift_intervals(const LiftoverOptions& options, const genome::Chains& chains) {
  auto bed = open_bed(options.input);
  io::Output output(options.output, options.common.threads);
  std::optional<io::Output> unmapped;
  if (!options.unmapped.empty()) unmapped.emplace(options.unmapped, options.common.threads);
  std::map<std::string, int64_t> counts;
  UnknownContigs unknown(options, chains);
  const bool peaks = genome::is_peak_file(options.input) || genome::is_peak_file(options.output);
  genome::EmptyIntervals empty;
  genome::MissingStrands strands;
  while (auto record = bed.next()) {
    empty.add(*record);
    strands.add(*record, /*decides=*/false);
    chains.refuse_past_end(record->region, concat(bed.path(), ":", record->line));
    const auto reason = genome::lift(chains, *record, options.min_match, peaks, bed.path());
    ++counts[genome::to_string(reason)];
    if (reason == genome::Unlifted::none) {
      output << genome::to_line(*record) << "\n";
      continue;
    }
    if (reason == genome::Unlifted::deleted) unknown.add(record->region.contig);
    if (unmapped) *unmapped << "#" << genome::to_string(reason) << "\n" << genome::to_line(*record) << "\n";
  }
  output.commit();
  if (unmapped) unmapped->commit();
  empty.warn(bed.path(), "is not lifted");
  strands.warn(bed.path(), "interval", "lifted without one");
  for (const auto& [reason, count] : counts) log::info(reason, ": ", count);
  unknown.warn();
}

/// Counts lifted and rejected records, by reason, and notices where the order of the input is lost.
class LiftCounts {
 public:
  void add(const variants::LiftedVariant& lifted, const variants::Fault& malformed) {
    if (lifted.rejected) {
      auto& [count, text] = rejected_[lifted.rejected->name];
      ++count, text = lifted.rejected->text;
      if (malformed && !malformed_said_)
        log::warn(lifted.record.where, ": ", malformed.text(), ", so it is not lifted");
      malformed_said_ |= static_cast<bool>(malformed);
      return;
    }
    ++lifted_, turned_ += lifted.turned;
    const auto& [contig, position] = std::tie(lifted.record.contig, lifted.record.position);
    if (contig != contig_)
      sorted_ &= contigs_.insert(contig).second;
    else
      sorted_ &= position >= position_;
    contig_ = contig, position_ = position;
  }
  void report(const std::string& genome) const {
    log::info(
        counted(lifted_, "record"), " lifted",
        turned_ > 0 ? concat(", ", turned_, " of them to the minus strand, with reverse-complemented alleles") : "");
    for (const auto& [name, of] : rejected_)
      log::info("rejected: ", counted(of.first, "record"), ", ", name, " (", of.second, ")");
    if (!sorted_) log::info("the lifted records are not sorted by position: bcftools sort sorts them");
    const auto other = rejected_.find("reference_mismatch");
    if (other != rejected_.end() && other->second.first > lifted_)
      log::warn("REF is not what ", genome, " has for ", counted(other->second.first, "record"), ", and ",
                counted(lifted_, "is lifted", "are lifted"),
                ": is it the assembly that the chain leads to, and is the VCF of the assembly that it leads "
                "from?");
  }

 private:
  std::map<std::string, std::pair<int64_t, std::string>> rejected_;
  int64_t lifted_ = 0, turned_ = 0, position_ = 0;
  std::string contig_;
  std::set<std::string> contigs_;
  bool sorted_ = true, malformed_said_ = false;
};

void lift_variants(const LiftoverOptions& options, const genome::Chains& chains) {
  const genome::Genome genome(options.genome);
  variants::VcfReader reader(options.input);
  const auto& header = reader.header();
  const io::Provenance provenance;
  const auto open = [&](const std::string& path, const std::string& lines) {
    return variants::VcfOutput(path, io::format_of(path, options.kVariantFormats), lines, options.common.threads);
  };
  auto output = open(options.output, variants::lifted_header(header, genome, provenance));
  std::optional<variants::VcfOutput> unmapped;
  if (!options.unmapped.empty())
    unmapped.emplace(open(options.unmapped, variants::rejected_header(header, provenance)));
  variants::VariantLifter lifter(chains, genome);
  UnknownContigs unknown(options, chains);
  LiftCounts counts;
  while (const auto record = reader.next()) {
    const auto lifted = lifter.lift(header, *record);
    counts.add(lifted, record->faults.malformed);
    if (!lifted.rejected) {
      output.write(lifted.record);
      continue;
    }
    unknown.add(record->contig);
    if (unmapped) unmapped->write(lifted.record);
  }
  output.commit();
  if (unmapped) unmapped->commit();
  counts.report(options.genome);
  unknown.warn();
}
}  // namespace

void run(const LiftoverOptions& options) {
  if (options.input == "-" && options.chain == "-") throw UsageError("--chain -: stdin is already the input");
  io::refuse_shared_files({options.output, options.unmapped}, {options.input, options.chain, options.genome});
  const genome::Chains chains(options.chain);
  options.genome.empty() ? lift_intervals(options, chains) : lift_variants(options, chains);
}

}  // namespace bigdna::apps
