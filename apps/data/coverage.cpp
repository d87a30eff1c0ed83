#include "coverage/coverage.h"

#include <algorithm>

#include "apps/options/coverage.h"
#include "base/counted.h"
#include "base/log.h"
#include "dataset/start_sites.h"
#include "genome/chrom_sizes.h"

namespace bigdna::apps {

namespace {
/// Start sites by contig, sorted.
coverage::SitesByContig sites_of(const std::string& path, const coverage::Contigs& contigs) {
  coverage::SitesByContig sites(contigs.all().size());
  if (path.empty()) return sites;
  int64_t elsewhere = 0;
  for (const auto& site : dataset::read_start_sites(path)) {
    if (const auto contig = contigs.find(site.contig))
      sites[*contig].push_back(site.position);
    else
      ++elsewhere;
  }
  for (auto& list : sites) std::ranges::sort(list);
  if (elsewhere) log::info(path, ": ", counted(elsewhere, "start site lies", "start sites lie"), " on other contigs");
  return sites;
}
}  // namespace

void run(const CoverageOptions& options) {
  auto settings = options.coverage;
  settings.threads = options.common.threads;
  auto inputs = settings.inputs;
  for (const std::string* input : std::initializer_list<const std::string*>{
           &options.chrom_sizes, &options.genome, &options.start_sites, &settings.peaks, &settings.track.barcodes})
    if (!input->empty()) inputs.push_back(*input);
  io::refuse_shared_files({settings.output, settings.table}, inputs);
  const std::string& source = options.genome.empty() ? options.chrom_sizes : options.genome;
  const coverage::Contigs contigs(
      options.genome.empty() ? genome::read_chrom_sizes(source) : genome::Genome(source).contigs(), source,
      options.genome);
  coverage::write_coverage(settings, contigs, sites_of(options.start_sites, contigs));
}

}  // namespace bigdna::apps
