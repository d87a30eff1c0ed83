#include "prediction/fill.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "genome/bed.h"
#include "genome/fasta.h"
#include "genome/fasta_writer.h"
#include "genome/region.h"
#include "io/output.h"
#include "io/row_writer.h"
#include "model_folder/model_folder.h"
#include "session/gap_model.h"
#include "session/stream.h"

namespace bigdna::prediction {

std::vector<Stretch> runs_of_n(std::string_view bases) {
  std::vector<Stretch> runs;
  for (size_t end = 0; end < bases.size();) {
    const size_t start = std::min(bases.find('N', end), bases.size());
    end = std::min(bases.find_first_not_of('N', start), bases.size());
    if (start < end) runs.push_back({static_cast<int64_t>(start), static_cast<int64_t>(end)});
  }
  return runs;
}

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// The regions of a BED file, by record. Each must be taken once.
class Regions {
 public:
  Regions(const std::string& path, const std::string& fasta)
      : path_(path == "-" ? "stdin" : path), fasta_(fasta == "-" ? "stdin" : fasta) {
    genome::EmptyIntervals empty;
    for (auto& record : genome::read_bed(path))
      if (!empty.add(record)) records_[record.region.contig].push_back(std::move(record));
    empty.warn(path_);
    if (records_.empty()) fail(path_, ": has no regions");
  }
  /// Those of a record of `length` bases, in the order of their starts; its name may differ from theirs by "chr". Error
  /// for a second record whose they could be.
  std::vector<Stretch> take(const std::string& name, int64_t length) {
    if (taken_.contains(name))
      fail(fasta_, ": regions on ", name, " were taken for an earlier sequence, and could be on this one, too");
    auto found = records_.extract(name);
    if (!found) found = records_.extract(genome::other_spelling(name));
    if (!found) return {};
    taken_.insert({found.key(), name});
    auto& of_record = found.mapped();
    std::ranges::stable_sort(of_record, {}, [](const auto& record) { return record.region.start; });
    std::vector<Stretch> stretches;
    for (const auto& record : of_record) {
      const auto& region = record.region;
      const auto where = [&] { return concat(path_, ":", record.line, ": "); };
      if (region.end > length) fail(where(), "ends at ", region.end, ", and ", name, " has ", length, " bases");
      if (!stretches.empty() && region.start < stretches.back().end)
        fail(where(), "overlaps another region, and each base is filled once");
      stretches.push_back({region.start, region.end});
    }
    return stretches;
  }
  /// Error if a region is left, whose record the FASTA does not have.
  void finish() const {
    if (records_.empty()) return;
    const auto& left = records_.begin()->second.front();
    fail(path_, ":", left.line, ": ", fasta_, " has no sequence ", left.region.contig);
  }

 private:
  std::string path_, fasta_;  // as errors call them
  std::map<std::string, std::vector<genome::BedRecord>> records_;
  std::set<std::string> taken_;  // both spellings, where regions and record differ
};

/// A record with the gaps that are to be filled.
struct OpenRecord {
  genome::FastaRecord record;
  int64_t number = 0;
  std::vector<Stretch> gaps;
};

struct FilledGap {
  std::shared_ptr<const OpenRecord> record;
  size_t gap = 0;  // of the record; one that has none goes along as its 0th
  session::DrawnMiddle drawn{};
  double original = kNone, left = kNone;  // ln p of what stood there, given its length; NaN: not known
};

/// Sums over gaps whose original bases are scored.
struct Compared {
  double bits = 0, left_bits = 0;
  int64_t bases = 0;
};

/// Writes the records, and the table, in order.
class FillSink {
 public:
  FillSink(const FillOptions& options, const io::Provenance& provenance)
      : regions_(!options.regions.empty()), output_(options.output) {
    if (options.table.empty()) return;
    io::OutputTable table{.name = "fill",
                          .columns = {{.name = "chrom", .labels = "names"}, {"start"}, {"end"}, {"sequence"}},
                          .provenance = provenance};
    const auto numbers = [&](const char* name) { table.columns.push_back({.name = name, .block = {name}}); };
    numbers("bits_per_base");
    if (regions_) {
      table.columns.push_back({"original"});
      for (const char* name : {"original_bits_per_base", "left_bits_per_base"}) numbers(name);
    }
    writer_ = io::make_row_writer(options.table, io::Format::tsv, std::move(table));
  }

  void add(const FilledGap& filled) {
    const auto& open = *filled.record;
    if (filled.gap == 0) bases_ = open.record.bases;
    if (!open.gaps.empty()) replace(filled);
    if (filled.gap + 1 >= open.gaps.size()) genome::write_fasta_record(output_, open.record.name, bases_);
  }
  void commit() {
    output_.commit();
    if (writer_) writer_->commit();
  }
  int64_t gaps() const { return gaps_; }
  int64_t filled_bases() const { return filled_; }
  const Compared& compared() const { return compared_; }

 private:
  void replace(const FilledGap& filled) {
    const auto& open = *filled.record;
    const auto gap = open.gaps[filled.gap];
    const auto start = static_cast<size_t>(gap.start), size = static_cast<size_t>(gap.end - gap.start);
    std::ranges::transform(filled.drawn.bases, bases_.begin() + gap.start,
                           [](unsigned char base) { return static_cast<char>(std::tolower(base)); });
    ++gaps_, filled_ += gap.end - gap.start;
    const auto per_base = [&](double nats) {
      return static_cast<float>(-nats / std::numbers::ln2 / static_cast<double>(size));
    };
    const float bits = per_base(filled.drawn.nats), original = per_base(filled.original), left = per_base(filled.left);
    if (!std::isnan(original) && !std::isnan(left)) {
      compared_.bits += -filled.original / std::numbers::ln2, compared_.left_bits += -filled.left / std::numbers::ln2;
      compared_.bases += static_cast<int64_t>(size);
    }
    if (!writer_) return;
    std::vector<io::Cell> cells{io::Label{open.record.name, open.number}, gap.start, gap.end,
                                std::string_view(filled.drawn.bases), std::span(&bits, 1)};
    if (regions_)
      cells.insert(cells.end(), {std::string_view(open.record.bases).substr(start, size), std::span(&original, 1),
                                 std::span(&left, 1)});
    writer_->row(cells);
  }

  bool regions_;
  io::Output output_;
  std::unique_ptr<io::RowWriter> writer_;
  std::string bases_;  // of the record so far
  int64_t gaps_ = 0, filled_ = 0;
  Compared compared_;
};

/// Records of the FASTA with their gaps, one gap after the other.
class OpenGaps {
 public:
  OpenGaps(const FillOptions& options, int64_t longest)
      : options_(options), longest_(longest), reader_(options.fasta, options.invalid_bases) {
    if (!options.regions.empty()) regions_.emplace(options.regions, options.fasta);
  }
  std::optional<FilledGap> next() {
    if (!record_ || ++gap_ >= record_->gaps.size()) {
      auto record = reader_.next_named();
      if (!record) {
        if (regions_) regions_->finish();
        return std::nullopt;
      }
      auto open = std::make_shared<OpenRecord>();
      open->number = records_++;
      auto gaps = regions_ ? regions_->take(record->name, std::ssize(record->bases)) : runs_of_n(record->bases);
      const auto too_long = [&](const Stretch& gap) { return gap.end - gap.start > longest_; };
      for (const auto& gap : gaps)
        if (too_long(gap)) ++long_, long_bases_ += gap.end - gap.start;
      std::erase_if(gaps, too_long);
      open->gaps = std::move(gaps);
      open->record = std::move(*record);
      record_ = std::move(open);
      gap_ = 0;
    }
    return FilledGap{record_, gap_};
  }
  int64_t records() const { return records_; }
  /// Gaps that are too long, and their bases.
  int64_t too_long() const { return long_; }
  int64_t too_long_bases() const { return long_bases_; }

 private:
  const FillOptions& options_;
  int64_t longest_, records_ = 0, long_ = 0, long_bases_ = 0;
  genome::FastaReader reader_;
  std::optional<Regions> regions_;
  std::shared_ptr<const OpenRecord> record_;
  size_t gap_ = 0;
};

void fill_gap(FilledGap& filled, const session::GapModel& model, const FillOptions& options) {
  const auto& open = *filled.record;
  if (open.gaps.empty()) return;
  const auto [start, end] = open.gaps[filled.gap];
  const std::string_view bases = open.record.bases, left = bases.substr(0, static_cast<size_t>(start)),
                         right = bases.substr(static_cast<size_t>(end));
  Rng rng(mix({options.seed, static_cast<uint64_t>(open.number)}), static_cast<uint64_t>(start));
  filled.drawn = model.draw(left, right, end - start, options.temperature, rng);
  if (options.regions.empty()) return;
  const std::string original(bases.substr(static_cast<size_t>(start), static_cast<size_t>(end - start)));
  filled.original = model.scores(left, right, std::span(&original, 1)).front().of_length;
  filled.left = model.left_alone(left, original);
}

}  // namespace

void fill(const FillOptions& options) {
  const auto folder = model_folder::ModelFolder::open(options.model);
  io::refuse_shared_files({options.output, options.table}, {options.fasta, options.regions});
  io::refuse_outputs_in({options.output, options.table}, {folder.path});
  folder.check_reads_sequences();
  const tokenizer::Encoder encoder(folder.vocabulary);
  session::GapModel::check(folder.config, folder.vocabulary, folder.path);
  const int64_t most = session::GapModel::longest(folder.config);
  const int64_t longest = options.max_gap.value_or(std::min(corpus::kLongestGap, most));
  if (longest > most)
    throw UsageError(concat("--max-gap ", longest, ": ", folder.path, " reads ", folder.config.max_length,
                            " tokens, so a gap can have ", most, " bp"));
  if (longest > corpus::kLongestGap)
    log::warn("--max-gap ", longest, ": the model was trained with gaps of at most ", corpus::kLongestGap, " bp");
  OpenGaps gaps(options, longest);
  FillSink sink(options, io::Provenance().add("model", model_folder::name_and_md5(folder.path)));
  const session::Session session(folder, session::Placement(options.run));
  const session::GapModel model(session, encoder, folder.path);
  log::Progress progress("fill", 0, "bp");
  session::stream(
      session.placement().streams(), [&] { return gaps.next(); },
      [&](FilledGap&& filled) {
        fill_gap(filled, model, options);
        return std::move(filled);
      },
      [&](FilledGap&& filled) {
        sink.add(filled);
        progress.update(static_cast<uint64_t>(sink.filled_bases()));
      });
  if (gaps.records() == 0) fail(options.fasta, ": has no records");
  sink.commit();
  log::info(counted(gaps.records(), "record"), ": ", counted(sink.gaps(), "gap"), " of ", sink.filled_bases(),
            " bp filled");
  if (gaps.too_long())
    log::info(counted(gaps.too_long(), "gap"), " of more than ", longest, " bp (", gaps.too_long_bases(),
              " bp) left as in the input (--max-gap)");
  if (const auto& of = sink.compared(); of.bases > 0)
    log::info("bits per base of the ", of.bases, " bp that stood there: ", of.bits / static_cast<double>(of.bases),
              " given both flanks, ", of.left_bits / static_cast<double>(of.bases), " given the left one alone");
}

}  // namespace bigdna::prediction
