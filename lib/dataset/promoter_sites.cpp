#include "dataset/promoter_sites.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "base/error.h"
#include "genome/assemblies.h"
#include "genome/chain.h"
#include "genome/contigs.h"

namespace bigdna::dataset {

namespace {
std::string line_of(const StartSite& site) {
  return concat(site.contig, '\t', site.position, '\t', site.position + 1, '\t', site.name.empty() ? "." : site.name,
                "\t0\t", site.strand);
}
}  // namespace

Dropped::Dropped(const std::string& folder) : out_(folder + "/dropped.tsv") {
  out_ << "#chrom\tstart\tend\tname\tscore\tstrand\treason\n";
}

void Dropped::add(const StartSite& site, const std::string& reason) {
  ++counts_[reason];
  out_ << line_of(site) << "\t" << reason << "\n";
}

PlacedSites place_start_sites(const PromoterOptions& options, const genome::Genome& genome, Dropped& dropped) {
  PlacedSites placed;
  const genome::ContigFilter filter(options.contigs);
  std::optional<genome::Chains> chains;
  std::optional<io::Output> unmapped;
  if (!options.chain.empty()) {
    chains.emplace(options.chain);
    unmapped.emplace(options.output + "/unmapped.bed");
  }
  for (auto& site : read_start_sites(options.promoters)) {
    ++placed.read;
    if (chains) {
      if (!chains->has_contig(site.contig)) site.contig = genome::chromosome_of_accession(site.contig);
      const auto lifted = chains->lift({site.contig, site.position, site.position + 1, site.strand});
      if (lifted.reason != genome::Unlifted::none) {
        *unmapped << "#" << genome::to_string(lifted.reason) << "\n" << line_of(site) << "\n";
        dropped.add(site, "not_lifted");
        continue;
      }
      site.contig = lifted.region.contig;
      site.position = lifted.region.start;
      site.strand = lifted.region.strand;
    }
    const auto contig = contig_of_site(genome, site, options.promoters);
    if (!contig) {
      dropped.add(site, "contig_not_in_genome");
    } else if (!filter(*contig)) {
      dropped.add(site, "contig_not_chosen");
    } else {
      site.contig = *contig;
      placed.contigs[*contig].push_back(std::move(site));
    }
  }
  if (unmapped) unmapped->commit();
  if (placed.contigs.empty())
    fail(options.promoters, ": no start site lies on a contig of ", options.genome,
         dropped.counts().contains("not_lifted")
             ? concat(" (", dropped.counts().at("not_lifted"), " did not lift over)")
             : "");
  for (auto& [contig, list] : placed.contigs)
    std::sort(list.begin(), list.end(), [](const StartSite& a, const StartSite& b) {
      return std::tie(a.position, a.strand, a.line) < std::tie(b.position, b.strand, b.line);
    });
  return placed;
}

}  // namespace bigdna::dataset
