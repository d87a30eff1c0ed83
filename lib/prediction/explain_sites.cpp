#include "prediction/explain_sites.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/log.h"

namespace bigdna::prediction {

Sites::Sites(const ExplainOptions& options, int64_t bin, int64_t margin)
    : options_(options), bin_(bin), margin_(margin) {
  if (!options.fasta.empty()) {
    fasta_.emplace(options.fasta, options.invalid_bases);
    return;
  }
  genome_.emplace(options.genome, options.invalid_bases);
  if (options.regions.empty())
    region_ = genome_->parse_region(options.region);
  else
    bed_.emplace(options.regions);
}

std::vector<genome::Contig> Sites::contigs() const {
  return genome_ ? genome_->contigs() : std::vector<genome::Contig>();
}

std::optional<Site> Sites::next() {
  while (true) {
    std::optional<Site> site;
    if (fasta_) {
      const auto record = fasta_->next();
      if (!record) return std::nullopt;
      const auto length = std::ssize(record->bases);
      site = of_interval(record->name, {record->name, 0, length, '+'}, length, fasta_->where(*record));
      if (!site) continue;
      const int64_t begin = std::max<int64_t>(0, site->window_start),
                    end = std::min(length, site->window_start + window());
      if (begin < end)
        site->window.replace(static_cast<size_t>(begin - site->window_start), static_cast<size_t>(end - begin),
                             record->bases, static_cast<size_t>(begin), static_cast<size_t>(end - begin));
      return site;
    }
    genome::Region region;
    std::string name, where = options_.region;
    if (bed_) {
      const auto record = bed_->next();
      if (!record) return std::nullopt;
      region = record->region;
      where = concat(bed_->path(), ":", record->line);
      if (record->name != ".") name = record->name;
    } else {
      if (!region_) return std::nullopt;
      region = *std::exchange(region_, std::nullopt);
    }
    const std::string contig = genome_->require(region, where);
    region.strand = '.';
    if (name.empty()) name = genome::to_string(region);
    site = of_interval(name, region, genome_->length(contig), where);
    if (!site) continue;
    site->own_contig = contig;
    site->window = genome_->fetch({contig, site->window_start, site->window_start + window(), '+'});
    return site;
  }
}

std::optional<Site> Sites::of_interval(std::string name, const genome::Region& region, int64_t length,
                                       const std::string& where) {
  if (region.length() == 0) {
    const char* cause = fasta_ ? "has no bases" : genome::kEmptyInterval;
    if (options_.strict) fail(where, ": ", cause);
    log::warn(where, ": ", cause, " and is left out");
    ++without_bases_;
    return std::nullopt;
  }
  const int64_t centre = (region.start + region.end) / 2;
  Site site{.name = std::move(name), .contig = region.contig, .own_contig = region.contig, .length = length};
  site.window.assign(static_cast<size_t>(window()), 'N');
  site.window_start = centre - bin_ / 2 - margin_ * bin_;
  const int64_t start = options_.around > 0 ? centre - options_.around : region.start,
                end = options_.around > 0 ? centre + options_.around : region.end;
  const int64_t first = std::max(start, site.window_start), last = std::min(end, site.window_start + window());
  if (first > start || last < end) ++cut_;
  site.first = first - site.window_start;
  site.count = last - first;
  return site;
}

}  // namespace bigdna::prediction
