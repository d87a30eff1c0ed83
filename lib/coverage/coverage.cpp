#include "coverage/coverage.h"

#include <array>
#include <charconv>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <unordered_map>

#include "base/error.h"
#include "coverage/bin_sums.h"
#include "coverage/pileup.h"
#include "genome/bigwig.h"
#include "genome/contigs.h"
#include "io/output.h"

namespace bigdna::coverage {

namespace {
/// Where nothing but the table is asked for.
class NoTrack final : public CountSink {
  void add(uint32_t, int64_t, int64_t, int64_t) override {}
  void add_value(uint32_t, int64_t, int64_t, float) override {}
};

/// A track at 1 bp or in bins.
class Track {
 public:
  Track(const CoverageOptions& options, const Contigs& contigs) : contigs_(contigs) {
    if (options.output.empty()) return;
    if (options.bin == 1)
      pileup_.emplace(contigs, io::is_written_directly(options.output)
                                   ? (std::filesystem::temp_directory_path() / "bigdna_coverage").string()
                                   : options.output);
    else
      bins_.emplace(contigs, options.bin);
  }
  CountSink& sink() {
    if (pileup_) return *pileup_;
    return bins_ ? static_cast<CountSink&>(*bins_) : none_;
  }

  void each_run(const std::function<void(uint32_t, int64_t, int64_t, double)>& take) {
    if (pileup_) {
      pileup_->each_run(take);
      return;
    }
    const int64_t bin = bins_->bin();
    for (uint32_t contig = 0; contig < contigs_.all().size(); ++contig) {
      const auto& sums = bins_->of(contig);
      for (size_t i = 0; i < sums.size(); ++i) {
        const int64_t start = static_cast<int64_t>(i) * bin;
        if (sums[i] != 0) take(contig, start, std::min(start + bin, contigs_[contig].length), sums[i]);
      }
    }
  }

 private:
  const Contigs& contigs_;
  NoTrack none_;
  std::optional<Pileup> pileup_;
  std::optional<BinSums> bins_;
};

void append_number(std::string& text, auto value) {
  char digits[64];
  text.append(digits, std::to_chars(std::begin(digits), std::end(digits), value).ptr);
}

void write_bedgraph(const CoverageOptions& options, const Contigs& contigs, Track& track, double scale) {
  io::Output output(options.output, options.threads);
  output << io::Provenance().comments();
  std::string line;
  track.each_run([&](uint32_t contig, int64_t start, int64_t end, double value) {
    line = contigs[contig].name;
    append_number(line += '\t', start);
    append_number(line += '\t', end);
    const double scaled = value * scale;
    line += '\t';
    if (scaled == static_cast<double>(static_cast<int64_t>(scaled)))
      append_number(line, static_cast<int64_t>(scaled));
    else
      append_number(line, static_cast<float>(scaled));
    output << (line += '\n');
  });
  output.commit();
}

void write_bigwig(const CoverageOptions& options, const Contigs& contigs, Track& track, double scale) {
  genome::BigWigWriter output(options.output, contigs.all());
  track.each_run([&](uint32_t contig, int64_t start, int64_t end, double value) {
    output.add(contigs[contig].name, start, end, static_cast<float>(value * scale));
  });
  output.commit();
}

float number(auto value) { return value ? static_cast<float>(*value) : std::numeric_limits<float>::quiet_NaN(); }

class QualityTable {
 public:
  explicit QualityTable(const CoverageOptions& options) {
    io::OutputTable table;
    table.name = "coverage";
    table.threads = options.threads;
    for (const char* name : {"file", "kind", "records", "mapped", "duplicates", "mitochondrial", "counted"})
      table.columns.push_back({name});
    for (const auto reason : kLeftOut) table.columns.push_back({std::string(reason)});
    for (const char* name :
         {"fragment_5", "fragment_25", "fragment_50", "fragment_75", "fragment_95", "in_peaks", "enrichment"})
      table.columns.push_back({name, {}, io::Digits::six});
    table.columns[5].digits = io::Digits::six;
    writer_ = io::make_row_writer(options.table, io::format_of(options.table, kTableFormats), std::move(table));
  }
  void add(const std::string& path, const Quality& quality, const Tally& tally) {
    std::vector<io::Cell> cells{std::string_view(path), kind_name(quality.kind()), quality.records(), quality.mapped(),
                                quality.duplicates()};
    const std::array<float, 8> numbers{number(quality.mitochondrial()),
                                       number(quality.fragment_length(0.05)),
                                       number(quality.fragment_length(0.25)),
                                       number(quality.fragment_length(0.5)),
                                       number(quality.fragment_length(0.75)),
                                       number(quality.fragment_length(0.95)),
                                       number(quality.in_peaks()),
                                       number(quality.enrichment())};
    cells.emplace_back(std::span(numbers).first(1));
    cells.emplace_back(tally.counted);
    for (const int64_t count : tally.left_out) cells.emplace_back(count);
    for (size_t i = 1; i < numbers.size(); ++i) cells.emplace_back(std::span(numbers).subspan(i, 1));
    writer_->row(cells);
  }
  void commit() { writer_->commit(); }

 private:
  std::unique_ptr<io::RowWriter> writer_;
};
}  // namespace

void write_coverage(const CoverageOptions& options, const Contigs& contigs, const SitesByContig& sites) {
  check(options.track, "");
  const auto format = options.output.empty() ? io::Format::bedgraph : io::format_of(options.output, kTrackFormats);
  std::optional<QualityTable> table;
  if (!options.table.empty()) table.emplace(options);
  const auto peaks =
      options.peaks.empty() ? genome::IntervalSet() : genome::intervals_of_bed(options.peaks, contigs.all());
  Track track(options, contigs);
  int64_t counted = 0;
  std::optional<io::ReadProgress> progress(std::in_place, "reading", options.inputs);
  for (const auto& path : options.inputs) {
    Quality quality(contigs, peaks, sites, !options.table.empty());
    std::vector<TrackCounter> counters;
    counters.emplace_back(options.track, contigs, track.sink(), &quality);
    count_file(path, contigs, options.threads, counters, *progress, &quality);
    counted += counters[0].tally().counted;
    const std::string name = path == "-" ? "stdin" : path;
    quality.log_hints(name, {});
    if (table) table->add(name, quality, counters[0].tally());
  }
  progress.reset();
  const double scale =
      options.track.per_million && counted > 0 ? 1e6 / static_cast<double>(counted) : options.track.scale;
  if (format == io::Format::bigwig)
    write_bigwig(options, contigs, track, scale);
  else if (!options.output.empty())
    write_bedgraph(options, contigs, track, scale);
  if (table) table->commit();
}

}  // namespace bigdna::coverage
