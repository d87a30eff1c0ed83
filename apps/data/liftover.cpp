#include "apps/options/liftover.h"

#include <map>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/log.h"
#include "genome/bed.h"
#include "genome/chain.h"
#include "io/provenance.h"

namespace bigdna::apps {

void run(const LiftoverOptions& options) {
  if (options.input == "-" && options.chain == "-") throw UsageError("--chain -: stdin is the BED file already");
  io::refuse_shared_files({options.output, options.unmapped}, {options.input, options.chain});
  const genome::Chains chains(options.chain);
  genome::BedReader bed(options.input);
  io::Output output(options.output, options.common.threads);
  std::optional<io::Output> unmapped;
  if (!options.unmapped.empty()) unmapped.emplace(options.unmapped, options.common.threads);
  const std::string comments = io::Provenance().comments();
  output << comments;
  if (unmapped) *unmapped << comments;
  std::map<std::string, int64_t> counts;
  std::set<std::string> unknown;  // contigs
  genome::EmptyIntervals empty;
  genome::MissingStrands strands;
  while (auto record = bed.next()) {
    empty.add(*record);
    strands.add(*record, /*decides=*/false);
    chains.refuse_past_end(record->region, bed.path(), record->line);
    const auto lifted = chains.lift(record->region, options.min_match);
    ++counts[genome::to_string(lifted.reason)];
    if (lifted.reason == genome::Unlifted::deleted && !chains.has_contig(record->region.contig))
      unknown.insert(record->region.contig);
    if (lifted.reason == genome::Unlifted::none) {
      record->region = lifted.region;
      output << genome::to_line(*record) << "\n";
    } else if (unmapped) {
      *unmapped << "#" << genome::to_string(lifted.reason) << "\n" << genome::to_line(*record) << "\n";
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
