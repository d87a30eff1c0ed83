#include "attribution/explain_sites.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bigdna::attribution {
namespace {

int64_t centre_of(const genome::Region& region) { return (region.start + region.end) / 2; }

}  // namespace

prediction::IntervalInput interval_input(const prediction::SequenceInput& from) {
  prediction::IntervalInput input(from);
  input.without_bases = "is left out";
  return input;
}

genome::Region SiteTiling::source(const genome::Region& given) const {
  return around_ == Around::start ? prediction::PromoterTiling(before_, after_, 1, 1).source(given) : given;
}

genome::Region SiteTiling::read(const genome::Region& interval) const {
  if (whole() || is_short(interval)) return {interval.contig, interval.start, interval.end, '+'};
  // a start site's interval is as long as what is read, and of another one the strand does not move it
  const int64_t start = centre_of(interval) - (around_ == Around::start ? length() / 2 : before_);
  return {interval.contig, start, start + length(), '+'};
}

int64_t SiteTiling::focus(const genome::Region& interval, const genome::Region& read, char strand) const {
  if (around_ != Around::start) return centre_of(interval);
  const double share = static_cast<double>(before_) / static_cast<double>(length());
  const auto within = static_cast<int64_t>(std::llround(share * static_cast<double>(read.length())));
  return strand == '-' ? read.end - within : read.start + within;
}

SiteTiling tiling_of(const model_folder::NetworkConfig& config) {
  const int64_t before = config.margin() * config.bin() + config.bin() / 2;
  return {before, config.context() - before};
}

Sites::Sites(const prediction::SequenceInput& input, int64_t around, const SiteTiling& tiling)
    : input_(interval_input(input)), around_(around), tiling_(tiling), stream_(input_, tiling_, {}) {}

std::vector<genome::Contig> Sites::contigs() const {
  return input_.fasta.empty() ? stream_.genome().contigs() : std::vector<genome::Contig>();
}

int64_t Sites::total() const {
  return input_.fasta.empty() ? stream_.total().value() : prediction::count_record_intervals(input_, tiling_);
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
            .strand = tiling_.stranded() && interval->region().strand == '-' ? '-' : '+',
            .window_start = read.start,
            .length = interval->contig_length};
  const bool around = around_ > 0;
  const int64_t focus = tiling_.focus(region, read, site.strand), start = around ? focus - around_ : region.start,
                end = around ? focus + around_ : region.end;
  const int64_t first = std::max(start, read.start), last = std::min(end, read.end);
  if (!tiling_.whole() && (first > start || last < end)) ++cut_;
  site.first = first - read.start;
  site.count = last - first;
  return site;
}

}  // namespace bigdna::attribution
