#include "genome/lifted_record.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/number.h"
#include "io/lines.h"
#include "io/output.h"

namespace bigdna::genome {

namespace {
struct Stretch {
  int64_t start, end;  // on the contig
};

/// The thick part, as far as it lies in the record; numbers of another place are none.
std::optional<Stretch> thick_of(const BedRecord& record) {
  if (record.extra.size() <= kThickEnd) return std::nullopt;
  const auto start = parse_number<int64_t>(record.extra[kThickStart]),
             end = parse_number<int64_t>(record.extra[kThickEnd]);
  const auto& region = record.region;
  if (!start || !end || *end < *start || *end < region.start || *start > region.end) return std::nullopt;
  return Stretch{std::max(*start, region.start), std::min(*end, region.end)};
}

/// On the contig; empty if the columns hold no blocks.
std::vector<Stretch> stretches_of(const BedRecord& record, const std::string& where) {
  const auto lists = blocks_of(record);
  if (!lists) return {};
  const auto& [sizes, starts] = *lists;
  const auto& region = record.region;
  std::vector<Stretch> blocks;
  bool good = starts.front() == 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t start = region.start + starts[i];
    good = good && sizes[i] > 0 && (i == 0 || start >= blocks.back().end);
    blocks.push_back({start, start + sizes[i]});
  }
  if (!good || blocks.back().end != region.end)
    fail(where,
         ": its blocks (columns 10 to 12) do not begin and end with the record, or overlap (cut -f1-6 leaves "
         "them out)");
  return blocks;
}

/// Whether a record of any file is a narrowPeak, with a summit or none.
bool reads_as_narrow_peak(const BedRecord& record) {
  return is_narrow_peak(record) && (summit_offset(record) || summit_text(record) == kNoSummit);
}

/// The place on the contig of the summit of a record that is a peak; nullopt if column 10 holds none.
std::optional<int64_t> summit_of(const BedRecord& record, const std::string& where) {
  if (record.extra.size() <= kSummit) return std::nullopt;
  const auto offset = summit_offset(record);
  if (!offset && summit_text(record) != kNoSummit)
    fail(where, ": its summit (column 10) is '", summit_text(record), "', which is no offset within its ",
         record.region.length(), " bp");
  if (!offset) return std::nullopt;
  return record.region.start + *offset;
}

void set_blocks(BedRecord& record, const std::vector<Stretch>& blocks) {
  std::string sizes, starts;
  for (const auto& block : blocks) {
    sizes += concat(block.end - block.start, ',');
    starts += concat(block.start - blocks.front().start, ',');
  }
  record.extra[kBlockSizes] = sizes;
  record.extra[kBlockStarts] = starts;
}
}  // namespace

Unlifted lift(const Chains& chains, BedRecord& record, double least, bool peaks, const std::string& file) {
  peaks = peaks || reads_as_narrow_peak(record);
  const auto lifted = chains.lift(record.region, least);
  if (lifted.reason != Unlifted::none) return lifted.reason;
  const std::string where = concat(file, ":", record.line);
  if (!peaks && is_narrow_peak(record)) summit_of(record, where);  // the error of a summit outside of the record
  const auto thick = peaks ? std::nullopt : thick_of(record);
  const auto blocks = peaks ? std::vector<Stretch>() : stretches_of(record, where);
  std::optional<int64_t> summit;
  if (peaks) summit = summit_of(record, where);
  auto region = lifted.region;
  if (!blocks.empty()) {
    std::vector<Stretch> there;
    for (const auto& block : blocks) {
      const auto part = lifted.part(block.start, block.end);
      if (!part) return Unlifted::block;
      there.push_back({part->start, part->end});
    }
    if (there.front().start > there.back().start) std::ranges::reverse(there);
    region.start = there.front().start, region.end = there.back().end;
    set_blocks(record, there);
  }
  if (thick) {
    // a record without a thick part has an empty one at its start
    const auto part = lifted.part(thick->start, thick->end);
    const int64_t start = part ? std::clamp(part->start, region.start, region.end) : region.start;
    record.extra[kThickStart] = concat(start);
    record.extra[kThickEnd] = concat(part ? std::clamp(part->end, start, region.end) : start);
  }
  if (summit) {
    const auto part = lifted.part(*summit, *summit + 1);
    record.extra[kSummit] = part ? concat(part->start - region.start) : std::string(kNoSummit);
  }
  record.region = region;
  return Unlifted::none;
}

}  // namespace bigdna::genome
