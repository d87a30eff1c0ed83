#include "apps/options/liftover.h"

#include <map>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/log.h"
#include "genome/bed.h"
#include "genome/lifted_record.h"
#include "io/provenance.h"

namespace bigdna::apps {

void run(const LiftoverOptions& options) {
  if (options.input == "-" && options.chain == "-") throw UsageError("--chain -: stdin is the BED file already");
  io::refuse_shared_files({options.output, options.unmapped}, {options.input, options.chain});
  const genome::Chains chains(options.chain);
  genome::BedReader bed(options.input, genome::StrandColumn::ignored);
  io::Output output(options.output, options.common.threads);
  std::optional<io::Output> unmapped;
  if (!options.unmapped.empty()) unmapped.emplace(options.unmapped, options.common.threads);
  const std::string comments = io::Provenance().comments();
  output << comments;
  if (unmapped) *unmapped << comments;
  std::map<std::string, int64_t> counts;
  std::set<std::string> unknown;  // contigs
  const bool peaks = genome::is_peak_file(options.input) || genome::is_peak_file(options.output);
  genome::EmptyIntervals empty;
  genome::MissingStrands strands;
  while (auto record = bed.next()) {
    empty.add(*record);
    strands.add(*record, /*decides=*/false);
    chains.refuse_past_end(record->region, bed.path(), record->line);
    const auto reason = genome::lift(chains, *record, options.min_match, peaks, bed.path());
    ++counts[genome::to_string(reason)];
    if (reason == genome::Unlifted::deleted && !chains.has_contig(record->region.contig))
      unknown.insert(record->region.contig);
    if (reason == genome::Unlifted::none) {
      output << genome::to_line(*record) << "\n";
    } else if (unmapped) {
      *unmapped << "#" << genome::to_string(reason) << "\n" << genome::to_line(*record) << "\n";
    }
  }
  output.commit();
  if (unmapped) unmapped->commit();
  empty.warn(bed.path(), "is not lifted");
  strands.warn(bed.path(), "interval", "lifted without one");
  for (const auto& [reason, count] : counts) log::info(reason, ": ", count);
  if (!unknown.empty())
    log::warn(options.chain, ": has no chain from ", unknown.size(), " of the contigs, ", *unknown.begin(),
              unknown.size() > 1 ? " and others" : "");
}

}  // namespace bigdna::apps
