#include "dataset/nearest_site.h"

#include <algorithm>
#include <utility>

namespace bigdna::dataset {

NearestSites::NearestSites(const genome::Genome& genome, const std::string& path) {
  for (auto& site : start_sites_in(genome, path, &annotated_)) sites_[site.contig].push_back(std::move(site));
  for (auto& [contig, sites] : sites_) std::ranges::stable_sort(sites, {}, &StartSite::position);
}

std::optional<NearestSite> NearestSites::at(const std::string& contig, int64_t position) const {
  const auto found = sites_.find(contig);
  if (found == sites_.end()) return std::nullopt;
  const auto& sites = found->second;
  const auto first_from = [&](int64_t from) { return std::ranges::lower_bound(sites, from, {}, &StartSite::position); };
  auto nearest = first_from(position);
  if (nearest != sites.begin()) {
    const int64_t before = std::prev(nearest)->position;
    if (nearest == sites.end() || position - before <= nearest->position - position) nearest = first_from(before);
  }
  const int64_t along = position - nearest->position;
  return NearestSite{nearest->name, nearest->strand == '-' ? -along : along};
}

std::string_view NearestSites::location(const std::string& contig, int64_t start, int64_t end) const {
  constexpr int64_t kUpstream = 1000, kDownstream = 100;
  if (annotated_.transcripts.empty() && annotated_.exons.empty()) return "";
  if (const auto found = sites_.find(contig); found != sites_.end()) {
    const auto& sites = found->second;
    for (auto site = std::ranges::lower_bound(sites, start - kUpstream, {}, &StartSite::position);
         site != sites.end() && site->position <= end + kUpstream; ++site) {
      const auto promoter = promoter_interval(*site, kUpstream, kDownstream);
      if (promoter.start < end && start < promoter.end) return "promoter";
    }
  }
  if (annotated_.exons.overlaps(contig, start, end)) return "exon";
  if (!annotated_.transcripts.overlaps(contig, start, end)) return "intergenic";
  return annotated_.exons.empty() ? "transcript" : "intron";
}

}  // namespace bigdna::dataset
