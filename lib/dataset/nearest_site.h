/// The start site that lies nearest to a position: of a variant, the gene that it may act on.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
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

 private:
  std::map<std::string, std::vector<StartSite>> sites_;  // by contig, sorted by position
};

}  // namespace bigdna::dataset
