#include "prediction/interval_stream.h"

#include <algorithm>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "genome/alphabet.h"
#include "genome/bigwig.h"
#include "genome/contigs.h"
#include "genome/region_string.h"
#include "io/lines.h"

namespace bigdna::prediction {

namespace {
constexpr int64_t kWindow = 1 << 20;  // bases read from a genome at a time

genome::BedRecord record_of(const genome::Region& region, const std::string& name = "") {
  genome::BedRecord record;
  record.region = region;
  record.name = name;
  return record;
}
}  // namespace

IntervalStream::IntervalStream(const IntervalInput& input, const Tiling& tiling, genome::IntervalSet training,
                               genome::IntervalSet held_out)
    : input_(input), tiling_(tiling), training_(std::move(training)), held_out_(std::move(held_out)) {
  if (!input_.fasta.empty()) {
    records_.emplace(input_.fasta, input_.invalid_bases, input_.tables, input_.sequence_column);
    return;
  }
  genome_.emplace(input_.genome, input_.invalid_bases);
  training_ = genome::in_genome(std::move(training_), genome_->contigs());
  if (!input_.regions.empty()) {
    const auto strands =
        input_.strand == IntervalInput::Strand::ignored ? genome::StrandColumn::ignored : genome::StrandColumn::read;
    bed_.emplace(input_.regions, strands);
    ahead_ = bed_->next();
    if (ahead_ && !ahead_->no_strand.empty())
      log::info(bed_->path(), ": column 6 is no strand ('", ahead_->no_strand, "'), and is not read");
    further_ = ahead_ ? ahead_->extra.size() : 0;
    if (io::reads_once(input_.regions)) return;
    total_ = 0;
    genome::BedReader all(input_.regions, strands);
    genome::TrackOrder order(genome_->contigs());
    while (const auto record = all.next()) {
      check(*record);
      note_strand(*record);
      *total_ += count(tiling_.source(record->region));
      if (unsorted_.empty() && !order.follows(genome_->resolve(record->region.contig).value(), record->region))
        unsorted_ = concat(all.path(), ":", record->line);
    }
    strands_.warn(all.path());
    return;
  }
  if (!input_.region.empty()) {
    sources_.push_back(record_of(genome_->parse_region(input_.region)));
  } else {
    const auto chosen = genome::chosen_contigs(*genome_, input_.contigs);
    for (const auto& contig : chosen.contigs) sources_.push_back(record_of({contig.name, 0, contig.length, '.'}));
    genome::log_left_out(input_.contigs, chosen.left_out, chosen.left_out.size() + chosen.contigs.size());
  }
  total_ = 0;
  for (const auto& source : sources_)
    *total_ += count(input_.region.empty() ? source.region : tiling_.source(source.region));
}

void IntervalStream::check(const genome::BedRecord& record) const {
  genome_->require(record.region, where(record));
  if (tiling_.keeps_columns() && record.extra.size() != further_)
    fail(where(record), ": ", counted(record.extra.size(), "column"), " past the sixth, but the first record has ",
         further_);
  if (input_.strict && count(tiling_.source(record.region)) == 0) fail(where(record), ": ", no_bases());
}

void IntervalStream::note_strand(const genome::BedRecord& record) {
  using Strand = IntervalInput::Strand;
  if (input_.strand == Strand::ignored) return;
  strands_.add(record, input_.strand == Strand::decides ||
                           (input_.strand == Strand::decides_sites && record.region.length() == 1));
}

std::string IntervalStream::where(const genome::BedRecord& record) const {
  if (records_) return records_->where();
  if (bed_) return concat(bed_->path(), ":", record.line);
  if (input_.region.empty()) return concat(genome_->path(), ": contig ", record.region.contig);
  return concat(genome_->path(), ": region ", input_.region);
}

const char* IntervalStream::no_bases() const { return bed_ ? genome::kEmptyInterval : "has no bases"; }

/// A contig without bases has no interval in a scan, where it was not asked for.
int64_t IntervalStream::count(const genome::Region& source) const {
  const bool scan = !records_ && !bed_ && input_.region.empty();
  return scan && source.length() == 0 ? 0 : tiling_.count(source);
}

/// The next record or region, checked; also the bases of a FASTA record.
std::optional<genome::BedRecord> IntervalStream::read_source() {
  if (records_) {
    auto record = records_->next();
    if (!record) return std::nullopt;
    source_bases_ = std::move(record->bases);
    return record_of({record->name, 0, static_cast<int64_t>(source_bases_.size()), '+'}, record->name);
  }
  if (bed_) {
    auto record = ahead_ ? std::exchange(ahead_, std::nullopt) : bed_->next();
    if (record) check(*record);
    if (total_) return record;  // a file, of which the strands are known
    if (record)
      note_strand(*record);
    else
      std::exchange(strands_, {}).warn(bed_->path());
    return record;
  }
  if (next_source_ == sources_.size()) return std::nullopt;
  return sources_[next_source_++];
}

bool IntervalStream::load() {
  auto next = read_source();
  if (!next) return false;
  source_ = std::move(*next);
  where_ = where(source_);
  ++number_;
  if (records_) {
    contig_ = source_.region.contig;
    contig_length_ = source_.region.length();
  } else {
    contig_ = genome_->resolve(source_.region.contig).value();
    contig_length_ = genome_->length(contig_);
    if (!input_.regions.empty() || !input_.region.empty()) source_.region = tiling_.source(source_.region);
  }
  place_ = place();
  at_ = 0;
  intervals_ = count(source_.region);
  contiguous_ = false;
  if (intervals_ > 1) {
    const auto a = tiling_.read(tiling_.interval(source_.region, 0)),
               b = tiling_.read(tiling_.interval(source_.region, 1));
    contiguous_ = a.start <= b.end && b.start <= a.end;
  }
  return true;
}

/// Where the source lies in the genome of the training data; nullopt if that is not known.
std::optional<genome::Region> IntervalStream::place() const {
  if (training_.empty()) return std::nullopt;
  if (!records_)
    return training_.fits(contig_, contig_length_) ? std::optional(genome::Region{contig_, 0, contig_length_})
                                                   : std::nullopt;
  auto region = genome::region_of_name(source_.region.contig, contig_length_);
  if (!region) return region;
  const bool unknown = training_.intervals(region->contig).empty() && held_out_.intervals(region->contig).empty();
  // of contigs of several genomes, a name alone does not say which is meant
  if (unknown || training_.by_length(region->contig).size() > 1) region.reset();
  return region;
}

void IntervalStream::require_sorted(const std::string& output) const {
  if (!unsorted_.empty())
    fail(unsorted_, ": overlaps or comes before the region above it, so ", output,
         " cannot be written: sort the regions, and merge those that overlap");
}

/// The bases that an interval reads, along its strand. If intervals overlap, reads ahead in the direction in which they
/// follow.
std::string IntervalStream::read(const genome::Region& part) {
  if (records_) return genome::padded(source_bases_, part.start, part.end);
  if (contig_ != window_.contig || part.start < window_.start || part.end > window_.end) {
    window_ = {contig_, part.start, part.end, '+'};
    if (contiguous_) {
      const auto last = tiling_.read(tiling_.interval(source_.region, intervals_ - 1));
      if (last.start < part.start)
        window_.start = std::max(last.start, std::min(part.start, part.end - kWindow));
      else
        window_.end = std::min(last.end, std::max(part.end, part.start + kWindow));
    }
    window_bases_ = genome_->fetch(window_);
  }
  auto bases =
      window_bases_.substr(static_cast<size_t>(part.start - window_.start), static_cast<size_t>(part.length()));
  if (part.strand == '-') genome::reverse_complement_in_place(bases);
  return bases;
}

std::optional<Interval> IntervalStream::next(bool with_bases) {
  const int64_t before = without_bases_;
  while (at_ == intervals_) {
    if (!load()) return std::nullopt;
    if (intervals_ > 0) break;
    if (input_.strict) fail(where_, ": ", no_bases());
    log::warn(where_, ": ", no_bases(), " and ", input_.without_bases);
    ++without_bases_;
  }
  Interval interval;
  interval.record = source_;
  interval.record.region = tiling_.interval(source_.region, at_);
  interval.contig = contig_;
  interval.contig_length = contig_length_;
  interval.source = number_;
  interval.last = at_ + 1 == intervals_;
  if (with_bases) {
    interval.bases = read(tiling_.read(interval.record.region));
    if (!tiling_.readable(interval.bases)) interval.bases.clear();
  }
  if (place_) {
    const auto judged = tiling_.judged(interval.record.region);
    interval.seen = training_.overlaps(place_->contig, std::max<int64_t>(0, place_->start + judged.start),
                                       place_->start + judged.end);
  }
  interval.where = where_;
  interval.without_bases = without_bases_ - before;
  ++at_;
  return interval;
}

void IntervalStream::skip(int64_t intervals) {
  while (intervals > 0) {
    if (at_ == intervals_ && !load()) return;
    const int64_t step = std::min(intervals, intervals_ - at_);
    at_ += step;
    intervals -= step;
  }
}

int64_t count_record_intervals(const IntervalInput& input, const Tiling& tiling) {
  SequenceRecords records(input.fasta, input.invalid_bases, input.tables, input.sequence_column);
  int64_t total = 0;
  while (const auto record = records.next())
    total += tiling.count({record->name, 0, static_cast<int64_t>(record->bases.size()), '+'});
  return total;
}

uint64_t expected_intervals(const IntervalStream& stream, const IntervalInput& input, const Tiling& tiling) {
  if (input.fasta.empty()) return static_cast<uint64_t>(stream.total().value_or(0));
  if (io::reads_once(input.fasta)) return 0;
  try {
    return static_cast<uint64_t>(count_record_intervals(input, tiling));
  } catch (const Error&) {
    return 0;
  }
}

}  // namespace bigdna::prediction
