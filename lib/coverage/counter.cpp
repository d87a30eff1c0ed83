#include "coverage/counter.h"

#include <algorithm>
#include <cmath>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/rng.h"
#include "base/streams.h"

namespace bigdna::coverage {

namespace {
bool counts_fragment(const TrackOptions& options, Kind kind, const Read& read) {
  if (options.unit == Unit::automatic)
    return holds_fragments(kind) || (options.count == Count::midpoints && read.paired);
  return options.unit == Unit::fragments;
}

constexpr int64_t kLongRead = 300;  // bp; few sequencers of short reads give more

char opposite(char strand) { return strand == '+' ? '-' : strand == '-' ? '+' : '.'; }

constexpr LeftOut kReasonOfState[] = {LeftOut::unmapped,      LeftOut::unmapped, LeftOut::secondary,
                                      LeftOut::supplementary, LeftOut::qc_fail,  LeftOut::other_contig,
                                      LeftOut::no_pair};
}  // namespace

TrackCounter::TrackCounter(const TrackOptions& options, const Contigs& contigs, CountSink& to, Quality* quality,
                           std::string title, CountSink* half)
    : options_(options), contigs_(contigs), to_(to), half_(half), quality_(quality), title_(std::move(title)) {
  if (!options.barcodes.empty()) barcodes_.emplace(options.barcodes, options.barcode_group);
}

void TrackCounter::begin(Kind kind, const std::string& path) {
  kind_ = kind;
  path_ = path == "-" ? "stdin" : path;
  if (!title_.empty()) path_ += ": track " + title_;
  const auto refuse = [&](const char* option, const auto&... why) {
    fail(path_, ": holds ", kind_name(kind), ": ", option, " ", why...);
  };
  if (is_signal(kind)) {
    if (options_.count != Count::coverage) refuse("count", "can only be coverage, because there are no reads");
    if (options_.unit != Unit::automatic) refuse("unit", "cannot be chosen, because there are no reads");
    if (options_.shift_plus || options_.shift_minus || options_.extend || options_.most_length || options_.min_mapq)
      refuse("shift, extend, fragment_length and min_mapq", "are for reads");
    if (options_.per_million) refuse("scale cpm", "needs the number of reads");
  }
  if (barcodes_ && kind != Kind::fragments && kind != Kind::intervals) refuse("barcodes", "are only in fragment files");
  if (holds_fragments(kind)) {
    if (options_.extend) refuse("extend", "is for reads: fragments have their own length");
    if (options_.unit == Unit::reads) refuse("unit reads", "is not possible: the file does not hold single reads");
    if (options_.strand != '.' && kind != Kind::pairs && options_.count != Count::cuts)
      refuse("strand", "is not known for such fragments (only for their cuts)");
    if (options_.min_mapq && kind == Kind::fragments) refuse("min_mapq", "is not known for fragments");
  }
  if (kind == Kind::reads && options_.most_length && options_.unit != Unit::fragments)
    refuse("fragment_length", "needs pairs or fragments (unit fragments takes each record as a fragment)");
}

bool TrackCounter::needs_lengths() const {
  const bool of_pairs = options_.unit == Unit::automatic && options_.count == Count::midpoints;
  return options_.unit == Unit::fragments || of_pairs || options_.most_length;
}

std::optional<LeftOut> TrackCounter::why_left_out(const Read& read) const {
  if (read.state != Read::State::mapped) return kReasonOfState[static_cast<size_t>(read.state)];
  if (read.duplicate && !options_.duplicates) return LeftOut::duplicate;
  if (options_.min_mapq > 0) {
    if (read.mapq < 0) fail(path_, ": a record has no mapping quality (in column 5), which min_mapq needs");
    if (read.mapq < options_.min_mapq) return LeftOut::low_mapq;
  }
  if (barcodes_ && !barcodes_->contains(read.barcode)) return LeftOut::other_barcode;
  return std::nullopt;
}

void TrackCounter::add(uint32_t contig, int64_t start, int64_t end, int64_t weight) {
  start = std::max<int64_t>(start, 0);  // what is moved or extended past the contig's ends is cut there
  end = std::min(end, contigs_[contig].length);
  if (start >= end) return;
  to_.add(contig, start, end, weight);
  if (half_ && in_half_) half_->add(contig, start, end, weight);
}

namespace {
/// The same for both mates of a pair: whether the record is one of the half.
bool is_of_half(const Read& read, int64_t number) {
  if (read.mate_start < 0) return mix({kHalfOfReads, static_cast<uint64_t>(number)}) & 1;
  const auto [left, right] = std::minmax(read.start, read.mate_start);
  return mix({kHalfOfReads, read.contig, static_cast<uint64_t>(left), static_cast<uint64_t>(right)}) & 1;
}
}  // namespace

void TrackCounter::read(const Read& read) {
  const bool mapped = read.state == Read::State::mapped;
  const bool fragment = counts_fragment(options_, kind_, read);
  const bool pair = fragment && kind_ == Kind::alignments;  // the left read of a proper pair stands for both
  if (pair && mapped && read.proper && read.template_length < 0) return;
  if (barcodes_ && a_barcode_.empty()) a_barcode_ = read.barcode;
  auto reason = why_left_out(read);
  if (!reason && pair && !read.proper) reason = LeftOut::no_pair;
  if (!reason && (pair ? read.template_length == 0 : read.start >= read.end)) reason = LeftOut::no_bases;
  const int64_t length = pair       ? read.template_length
                         : fragment ? read.end - read.start
                                    : std::abs(read.template_length);
  if (!reason && options_.most_length && (length < options_.least_length || length > options_.most_length || !length))
    reason = LeftOut::other_length;
  const char strand = pair && !read.first ? opposite(read.strand) : read.strand;
  const bool by_end = fragment && options_.count == Count::cuts;  // each cut has a strand of its own
  if (!reason && options_.strand != '.' && !by_end && strand != options_.strand) reason = LeftOut::other_strand;
  if (reason) {
    leave_out(*reason);
    return;
  }
  const int64_t weight = options_.duplicates ? read.count : 1;
  in_half_ = half_ && is_of_half(read, tally_.counted);
  tally_.counted += weight;
  if (in_half_) tally_.half += weight;
  mitochondrial_ += read.mitochondrial * weight;
  minus_ += read.strand == '-';
  shortest_ = std::min(shortest_, read.end - read.start);
  longest_ = std::max(longest_, read.end - read.start);
  const int64_t end = pair ? read.start + read.template_length : read.end;
  if (quality_) quality_->add_counted(read.contig, read.start, end, fragment ? length : read.template_length, weight);
  if (fragment)
    count_fragment(read, read.start, end, strand, weight);
  else
    count_read(read, weight);
}

void TrackCounter::count_fragment(const Read& read, int64_t start, int64_t end, char strand, int64_t weight) {
  start += options_.shift_plus;
  end += options_.shift_minus;
  const uint32_t contig = read.contig;
  if (quality_) {
    quality_->add_cut(contig, start, weight);
    quality_->add_cut(contig, end - 1, weight);
  }
  switch (options_.count) {
    case Count::coverage:
      add(contig, start, end, weight);
      break;
    case Count::starts:
      add_base(contig, strand == '-' ? end - 1 : start, weight);
      break;
    case Count::ends:
      add_base(contig, strand == '-' ? start : end - 1, weight);
      break;
    case Count::cuts:
      if (options_.strand != '-') add_base(contig, start, weight);
      if (options_.strand != '+') add_base(contig, end - 1, weight);
      break;
    case Count::midpoints:
      add_base(contig, start + ((end - start) >> 1), weight);
  }
}

void TrackCounter::count_read(const Read& read, int64_t weight) {
  const bool minus = read.strand == '-';
  const int64_t shift = minus ? options_.shift_minus : options_.shift_plus;
  int64_t start = read.start + shift, end = read.end + shift;
  if (options_.extend) minus ? start = end - options_.extend : end = start + options_.extend;
  const uint32_t contig = read.contig;
  if (quality_) quality_->add_cut(contig, minus ? end - 1 : start, weight);
  switch (options_.count) {
    case Count::coverage:
      if (options_.extend || read.blocks.empty())
        add(contig, start, end, weight);
      else
        for (const auto& [from, to] : read.blocks) add(contig, from + shift, to + shift, weight);
      break;
    case Count::starts:
    case Count::cuts:
      add_base(contig, minus ? end - 1 : start, weight);
      break;
    case Count::ends:
      add_base(contig, minus ? start : end - 1, weight);
      break;
    case Count::midpoints:
      add_base(contig, start + ((end - start) >> 1), weight);
  }
}

void TrackCounter::value(uint32_t contig, int64_t start, int64_t end, float value) {
  ++values_;
  below_ += value < 0;
  above_ += value > 0;
  fractions_ += value != std::trunc(value);
  if (value != 0) to_.add_value(contig, start, end, std::abs(value));
}

void TrackCounter::end_signal() const {
  if (below_ > 0 && above_ > 0)
    fail(path_, ": has ", above_, " values above 0 and ", below_,
         " below: is it a ratio, or are both strands in one file? A track holds counts of one kind");
  if (below_ > 0)
    log::info(path_, ": all values are below 0, as in tracks of the minus strand; their magnitudes are used");
  if (fractions_ > 0)
    log::info(path_, ": ", fractions_, " of ", counted(values_, "value"),
              fractions_ == 1 ? " is no whole number" : " are no whole numbers",
              ": the file holds a scaled signal (such as reads per million, or a fold change), not counts");
  if (below_ + above_ == 0) log::warn(path_, ": all values are 0 on the contigs that are counted");
}

void TrackCounter::end() {
  if (is_signal(kind_)) return end_signal();
  if (barcodes_ && tally_.counted == 0 && tally_.of(LeftOut::other_barcode) > 0)
    fail(path_, ": none of its barcodes is in ", barcodes_->path(),
         options_.barcode_group.empty() ? "" : " under group " + options_.barcode_group, ": the file has ", a_barcode_,
         ", the table ", barcodes_->example());
  if (options_.unit == Unit::fragments && kind_ == Kind::alignments && tally_.counted == 0 &&
      tally_.of(LeftOut::no_pair) > 0)
    fail(path_, ": no read is in a proper pair, so there are no fragments (unit reads counts reads)");
  std::string reasons;
  for (size_t i = 0; i < kLeftOut.size(); ++i)
    if (tally_.left_out[i]) reasons += concat(reasons.empty() ? "" : ", ", kLeftOut[i], " ", tally_.left_out[i]);
  const std::string text = concat(path_, ": ", kind_name(kind_), ": ", tally_.counted, " counted",
                                  reasons.empty() ? "" : "; left out: " + reasons);
  if (tally_.counted == 0)
    log::warn(text, ": the track is 0 everywhere");
  else
    log::info(text);
  if (tally_.counted > 0 && mitochondrial_ == tally_.counted && contigs_.all().size() > 1)
    log::warn(path_, ": all counted reads or fragments are mitochondrial");
  const bool one_strand = minus_ == 0 && options_.strand == '.' && tally_.counted > 100;
  if (kind_ == Kind::reads && options_.unit == Unit::automatic &&
      (options_.count != Count::coverage || options_.extend) &&
      ((one_strand && longest_ > 2 * shortest_) || (longest_ > kLongRead && longest_ > 4 * shortest_)))
    log::warn(path_, ": its records are ", shortest_, " to ", longest_, " bp long",
              one_strand ? ", all on strand +" : "",
              ": if they are fragments, unit fragments counts both of their ends");
}

namespace {
/// Hands each record to all tracks.
class Tracks final : public Records {
 public:
  Tracks(const std::string& path, std::vector<TrackCounter>& tracks, io::ReadProgress& progress, Quality* quality)
      : path_(path), tracks_(tracks), file_(progress, path), quality_(quality) {}
  void begin(Kind kind) override {
    for (auto& track : tracks_) track.begin(kind, path_);
    if (quality_) quality_->begin(kind);
  }
  bool needs_lengths() const override {
    return (quality_ && quality_->needs_lengths()) ||
           std::ranges::any_of(tracks_, [](const TrackCounter& track) { return track.needs_lengths(); });
  }
  void read(const Read& read) override {
    file_.tick();
    if (quality_) quality_->add_record(read);
    for (auto& track : tracks_) track.read(read);
  }
  void value(uint32_t contig, int64_t start, int64_t end, float value) override {
    file_.tick();
    for (auto& track : tracks_) track.value(contig, start, end, value);
  }

 private:
  const std::string& path_;
  std::vector<TrackCounter>& tracks_;
  io::ReadProgress::File file_;
  Quality* quality_;
};
}  // namespace

void count_file(const std::string& path, const Contigs& contigs, int threads, std::vector<TrackCounter>& tracks,
                io::ReadProgress& progress, Quality* quality) {
  Tracks to(path, tracks, progress, quality);
  read_records(path, contigs, threads, to);
  for (auto& track : tracks) track.end();
}

}  // namespace bigdna::coverage
