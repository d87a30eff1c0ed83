/// The start site that lies nearest to a position: of a variant, the gene that it may act on, and what of a gene it
/// lies in.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/start_sites.h"

namespace bigdna::dataset {

struct NearestSite {
  std::string name;      // "" if the file has none
  int64_t distance = 0;  // bp from the start site along its strand: negative upstream, positive downstream of it
};

class NearestSites {
 public:
  /// Sites without a contig and position in `genome` are left out: start_sites_in().
  NearestSites(const genome::Genome& genome, const std::string& path);
  /// `contig`: the genome's name. Of sites that are equally near, the one at the smaller position, and then the first
  /// of the file. nullopt where the contig has none.
  std::optional<NearestSite> at(const std::string& contig, int64_t position) const;
  /// What [start, end) overlaps, the first of: promoter (from 1000 bp upstream of a start site to 100 bp downstream),
  /// exon, intron (or transcript, of a file without exons), intergenic. "" for a file without transcripts' ends.
  std::string_view location(const std::string& contig, int64_t start, int64_t end) const;

 private:
  AnnotatedBases annotated_;
  std::map<std::string, std::vector<StartSite>> sites_;  // by contig, sorted by position
};

}  // namespace bigdna::dataset
