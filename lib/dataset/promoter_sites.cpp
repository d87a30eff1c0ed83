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

genome::Lifted lift(const genome::Chains& chains, const StartSite& site, const std::string& path) {
  const std::string contig =
      chains.has_contig(site.contig) ? site.contig : genome::chromosome_of_accession(site.contig);
  if (const auto length = chains.target_length(contig))
    if (const auto other = genome::other_assembly(site.contig, *length, "the chain file's"))
      fail(path, ":", site.line, ": ", *other);
  const genome::Region region{contig, site.position, site.position + 1, site.strand};
  chains.refuse_past_end(region, concat(path, ":", site.line));
  return chains.lift(region);
}

/// Error if the chains lead to another assembly than the genome's.
void refuse_other_assembly(const PromoterOptions& options, const std::optional<genome::Chains>& chains,
                           const std::string& contig, int64_t length) {
  const auto lifted_to = chains ? chains->query_length(contig) : std::nullopt;
  if (lifted_to && *lifted_to != length)
    fail(options.chain, ": leads to an assembly whose ", contig, " has ", *lifted_to, " bp, but that of ",
         options.genome, " has ", length, ": is it the chain file of the other direction?");
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
  const genome::ContigFilter filter(options.contigs, genome.contigs());
  std::optional<genome::Chains> chains;
  std::optional<io::Output> unmapped;
  if (!options.chain.empty()) {
    chains.emplace(options.chain);
    unmapped.emplace(options.output + "/unmapped.bed");
  }
  for (auto& site : read_start_sites(options.promoters)) {
    ++placed.read;
    if (chains) {
      const auto lifted = lift(*chains, site, options.promoters);
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
      refuse_other_assembly(options, chains, *contig, genome.length(*contig));
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
