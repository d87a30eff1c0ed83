#include "prediction/likelihood_sink.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "genome/bed.h"
#include "genome/bigwig.h"
#include "io/lines.h"
#include "io/row_writer.h"

namespace bigdna::prediction {
namespace {

class LikelihoodRows : public LikelihoodSink {
 public:
  LikelihoodRows(const LikelihoodOptions& options, io::Format format, io::Provenance provenance) : each_(options.each) {
    io::OutputTable table{.name = "likelihood",
                          .columns = {{.name = "name", .array = "record", .labels = "names"}, {"start"}, {"end"}},
                          .provenance = std::move(provenance)};
    if (each_ == Each::token) table.columns.push_back({"token"});
    if (each_ == Each::record) table.columns.insert(table.columns.end(), {{"tokens"}, {"scored_bases"}});
    for (const char* name : {"bits", "bits_per_base"}) table.columns.push_back({.name = name, .block = {name}});
    writer_ = io::make_row_writer(options.output, format, std::move(table));
  }
  void commit(const std::vector<std::string>& passed_over) override {
    pass_over(passed_over);
    writer_->commit();
  }

 protected:
  void write(const Record& record, const Token& token) override {
    if (each_ != Each::token) return;
    begin(record);
    row(record, {token.start, token.end, token.id}, token.bits, token.end - token.start);
  }
  void finish(const Record& record, const Bits& of) override {
    begin(record);
    if (each_ == Each::record)
      row(record, {0, record.bases, of.tokens, of.bases}, of.bases ? static_cast<float>(of.bits) : NAN, of.bases);
  }

 private:
  /// Records without bases have a place among the records nonetheless: before the first row of this one.
  void begin(const Record& record) {
    if (next_ > record.number) return;
    pass_over(record.before);
    next_ = record.number + 1;
  }
  void pass_over(const std::vector<std::string>& names) {
    for (const auto& name : names) writer_->label(0, {name, next_++});
  }
  void row(const Record& record, std::initializer_list<int64_t> numbers, float bits, int64_t bases) {
    const float per_base = bits / static_cast<float>(bases);
    std::vector<io::Cell> cells{io::Label{record.name, record.number}};
    for (const int64_t number : numbers) cells.emplace_back(number);
    cells.emplace_back(std::span(&bits, 1));
    cells.emplace_back(std::span(&per_base, 1));
    writer_->row(cells);
  }

  Each each_;
  std::unique_ptr<io::RowWriter> writer_;
  int64_t next_ = 0;  // the number of the next record
};

class LikelihoodTrack : public LikelihoodSink {
 public:
  explicit LikelihoodTrack(const LikelihoodOptions& options)
      : writer_(options.output, genome::Genome(options.input.genome, options.input.invalid_bases).contigs()) {}
  void commit(const std::vector<std::string>&) override { writer_.commit(); }

 protected:
  void write(const Record& record, const Token& token) override {
    const auto& region = *record.region;
    if (std::isnan(token.bits) || token.start == token.end) return;
    const bool backward = region.strand == '-';
    values_.push_back({backward ? region.end - token.end : region.start + token.start,
                       backward ? region.end - token.start : region.start + token.end,
                       token.bits / static_cast<float>(token.end - token.start)});
  }
  void finish(const Record& record, const Bits&) override {
    if (record.region->strand == '-') std::ranges::reverse(values_);
    for (const auto& value : values_) writer_.add(record.region->contig, value.start, value.end, value.bits);
    values_.clear();
  }

 private:
  struct Value {
    int64_t start, end;
    float bits;
  };
  genome::BigWigWriter writer_;
  std::vector<Value> values_;  // of the region so far
};

}  // namespace

void require_sorted(const LikelihoodOptions& options) {
  const auto& input = options.input;
  if (input.regions.empty() || io::reads_once(input.regions)) return;
  const genome::Genome genome(input.genome, input.invalid_bases);
  genome::TrackOrder order(genome.contigs());
  genome::BedReader reader(input.regions);
  while (const auto record = reader.next()) {
    const auto where = concat(reader.path(), ":", record->line);
    if (!order.follows(genome.require(record->region, where), record->region))
      fail(where, ": overlaps or comes before the region above it, so ", options.output,
           " cannot be written: sort the regions, and merge those that overlap");
  }
}

std::unique_ptr<LikelihoodSink> make_likelihood_sink(const LikelihoodOptions& options,
                                                     const io::Provenance& provenance) {
  const auto format = io::format_of(options.output, kLikelihoodFormats);
  if (format == io::Format::bigwig) return std::make_unique<LikelihoodTrack>(options);
  return std::make_unique<LikelihoodRows>(options, format, provenance);
}

}  // namespace bigdna::prediction
