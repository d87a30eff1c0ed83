#include "variant_effects/variant_places.h"

#include <algorithm>
#include <tuple>

#include "base/error.h"
#include "dataset/chromatin_dataset.h"
#include "genome/contigs.h"
#include "io/manifest.h"
#include "variants/edit.h"

namespace bigdna::variant_effects {

namespace {
auto order_of(const dataset::StartSite& site) { return std::tie(site.position, site.strand); }
}  // namespace

VariantPlaces::VariantPlaces(const VariantOptions& options, const dataset::Task* task,
                             const models::TaskDetails& details, const genome::Genome& genome)
    : options_(options),
      task_(task),
      bin_(details.bin),
      upstream_(details.upstream),
      downstream_(details.downstream),
      scan_(upstream_, downstream_, std::nullopt, prediction::PredictPromoterOptions().max_n_fraction),
      genome_(genome) {
  using session::Strands;
  const bool start = is(Site::start), tiles = start && options.sites.empty();
  strands_ = start ? details.site_strands(options.strands, /*scan=*/tiles) : options.strands.value_or(details.strands);
  if (strands_ == Strands::both && !tiles) throw UsageError("--strands both: only for promoter models without --sites");
  if (!start && !options.sites.empty()) throw UsageError("--sites: only for promoter models");
  if (options.reach && !is(Site::bin) && (!start || tiles))
    throw UsageError("--reach: only for chromatin models, and promoter models with --sites");
  if (is(Site::bin) && options.reach.value_or(0) > std::min(upstream_, downstream_))
    throw UsageError(concat("--reach ", *options.reach, ": the model reads ", std::min(upstream_, downstream_),
                            " bp on either side of a bin, and must reach the variant"));
  if (is(Site::bin) && options.reach && *options.reach > 0 && *options.reach < bin_)
    throw UsageError(concat("--reach ", *options.reach, ": the bins of this model are ", bin_,
                            " bp apart, so it is 0 or at least ", bin_));
  if (options.context && task)
    throw UsageError("--context: only for models without a task; this one reads the interval that it was trained on");
  for (const auto& contig : genome.contigs()) lengths_[contig.name] = contig.length;
  if (options.sites.empty()) return;
  for (auto& site : dataset::start_sites_in(genome, options.sites)) sites_[site.contig].push_back(site);
  for (auto& [contig, sites] : sites_) {
    std::sort(sites.begin(), sites.end(), [](const auto& a, const auto& b) { return order_of(a) < order_of(b); });
    const auto same = [](const auto& a, const auto& b) { return order_of(a) == order_of(b); };
    sites.erase(std::unique(sites.begin(), sites.end(), same), sites.end());
  }
}

std::vector<genome::Region> VariantPlaces::intervals(const variants::Allele& allele) const {
  std::vector<genome::Region> found;
  const int64_t site = allele.position, length = lengths_.at(allele.contig);
  const auto add = [&](const genome::Region& region) {
    if (variants::fits(allele, region.start, region.end)) found.push_back(region);
  };
  if (!task_) {
    const int64_t context = options_.context.value_or(VariantOptions::kContext), start = site - context / 2;
    add({allele.contig, start, start + context, '+'});
  } else if (is(Site::whole)) {
    add({allele.contig, site - upstream_, site + downstream_, '+'});
  } else if (is(Site::bin)) {
    const int64_t bins = options_.reach.value_or(0) / bin_;
    for (int64_t k = -bins; k <= bins; ++k) {
      const int64_t centre = site + k * bin_, start = centre - bin_ / 2;
      if (centre < 0 || centre >= length) continue;
      add(dataset::with_context({allele.contig, start, start + bin_, '+'}, upstream_, downstream_));
    }
  } else if (options_.sites.empty()) {
    const genome::Region contig{allele.contig, 0, length, '+'};
    const int64_t last = scan_.count(contig);
    for (int64_t i = std::max<int64_t>(0, (site - scan_.length()) / scan_.stride() - 1); i < last; ++i) {
      auto tile = scan_.interval(contig, i);
      if (tile.start > site) break;
      for (const char strand : {'+', '-'})
        if (tile.strand = strand; strand == '+' || strands_ == session::Strands::both) add(tile);
    }
  } else if (const auto of_contig = sites_.find(allele.contig); of_contig != sites_.end()) {
    const int64_t most = std::max(upstream_, downstream_);
    const auto& sites = of_contig->second;
    for (auto each = std::lower_bound(sites.begin(), sites.end(), site - most,
                                      [](const auto&a, int64_t position) { return a.position < position; });
         each != sites.end() && each->position <= site + most; ++each)
      if (!options_.reach || std::abs(each->position - site) <= *options_.reach)
        add(dataset::promoter_interval(*each, upstream_, downstream_));
  }
  return found;
}

std::vector<genome::Region> VariantPlaces::of(variants::Allele& allele, variants::GenomeWindow& window) const {
  if (allele.skip != variants::Skip::none) return {};
  auto found = intervals(allele);
  if (found.empty()) {
    allele.skip = options_.sites.empty() ? variants::Skip::allele_too_long : variants::Skip::no_site;
    return {};
  }
  if (!is(Site::start)) return found;
  std::erase_if(found, [&](const genome::Region& region) {  // predict-promoter would not score them
    return !scan_.readable(window.fetch(region.contig, region.start, region.end));
  });
  if (found.empty()) allele.skip = variants::Skip::mostly_n;
  return found;
}

std::string VariantPlaces::sites_md5() const {
  if (options_.sites.empty()) return "";
  std::string text;
  for (const auto& [contig, sites] : sites_)
    for (const auto& site : sites) text += concat(contig, '\t', site.position, '\t', site.strand, '\n');
  return io::md5_of_bytes(text);
}

std::vector<genome::Region> VariantPlaces::background() const {
  std::vector<genome::Region> places;
  if (options_.sites.empty()) {
    for (const auto& contig : genome::chosen_contigs(genome_, "primary").contigs)
      places.push_back({contig.name, 0, contig.length, '+'});
    return places;
  }
  for (const auto& [contig, sites] : sites_)
    for (const auto& site : sites) {
      auto region = dataset::promoter_interval(site, upstream_, downstream_);
      if (options_.reach) {
        region.start = std::max(region.start, site.position - *options_.reach);
        region.end = std::min(region.end, site.position + *options_.reach + 1);
      }
      region.start = std::max<int64_t>(0, region.start);
      region.end = std::min(region.end, lengths_.at(contig));
      if (region.length() > 0) places.push_back(region);
    }
  return places;
}

}  // namespace bigdna::variant_effects
