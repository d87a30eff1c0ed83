#include "prediction/explain_sites.h"

#include <algorithm>
#include <utility>

namespace bigdna::prediction {
namespace {

int64_t centre(const genome::Region& region) { return (region.start + region.end) / 2; }

IntervalInput input_of(const ExplainOptions& options) {
  IntervalInput input;
  input.fasta = options.fasta;
  input.genome = options.genome;
  input.regions = options.regions;
  input.region = options.region;
  input.invalid_bases = options.invalid_bases;
  input.strict = options.strict;
  input.without_bases = "is left out";
  return input;
}

}  // namespace

genome::Region SiteTiling::read(const genome::Region& interval) const {
  const int64_t start = centre(interval) - bin_ / 2;
  return {interval.contig, start - context_, start + bin_ + context_, '+'};
}

Sites::Sites(const ExplainOptions& options, int64_t bin, int64_t margin)
    : options_(options),
      window_((2 * margin + 1) * bin),
      tiling_(bin, margin * bin),
      stream_(input_of(options), tiling_, {}) {}

std::vector<genome::Contig> Sites::contigs() const {
  return options_.fasta.empty() ? stream_.genome().contigs() : std::vector<genome::Contig>();
}

std::optional<Site> Sites::next() {
  auto interval = stream_.next(/*with_bases=*/true);
  if (!interval) return std::nullopt;
  genome::Region region = interval->region();
  region.strand = '.';
  const auto read = tiling_.read(region);
  const auto& name = interval->record.name;
  Site site{.name = name.empty() || name == "." ? genome::to_string(region) : name,
            .contig = region.contig,
            .own_contig = interval->contig,
            .window = std::move(interval->bases),
            .window_start = read.start,
            .length = interval->contig_length};
  const bool around = options_.around > 0;
  const int64_t start = around ? centre(region) - options_.around : region.start,
                end = around ? centre(region) + options_.around : region.end;
  const int64_t first = std::max(start, read.start), last = std::min(end, read.end);
  if (first > start || last < end) ++cut_;
  site.first = first - read.start;
  site.count = last - first;
  return site;
}

}  // namespace bigdna::prediction
