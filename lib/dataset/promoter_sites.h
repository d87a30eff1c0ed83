/// The start sites of a dataset: read, lifted over and placed on the genome; and those left out, with the reason.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "dataset/promoter_dataset.h"
#include "dataset/start_sites.h"
#include "genome/fasta.h"
#include "io/output.h"

namespace bigdna::dataset {

/// dropped.tsv.
class Dropped {
 public:
  explicit Dropped(const std::string& folder);
  void add(const StartSite& site, const std::string& reason);
  void commit() { out_.commit(); }
  const std::map<std::string, int64_t>& counts() const { return counts_; }  // by reason

 private:
  io::Output out_;
  std::map<std::string, int64_t> counts_;
};

struct PlacedSites {
  std::map<std::string, std::vector<StartSite>>
      contigs;  // under the genome's names; sorted by position, strand and line
  int64_t read = 0;
};
/// Lifts over with options.chain, if given; sites that do not lift are also written to unmapped.bed, as liftOver writes
/// it. Error if no site is on a chosen contig of the genome.
PlacedSites place_start_sites(const PromoterOptions& options, const genome::Genome& genome, Dropped& dropped);

}  // namespace bigdna::dataset
