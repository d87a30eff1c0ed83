/// Known peaks and genes, to be drawn beside explanations.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "genome/region.h"
#include "plot/svg.h"
#include "attribution/explain_sites.h"

namespace bigdna::attribution {

class Annotations {
 public:
  /// Reads BED (narrowPeak, broadPeak), or transcripts and exons of GTF or GFF3, by the form of the first line. Errors
  /// "FILE:LINE: cause".
  explicit Annotations(const std::vector<std::string>& paths);
  /// A track for each file, named after it, of what overlaps the explained bases; contigs match with or without "chr".
  std::vector<plot::Track> around(const Site& site);
  /// Warns of files that had nothing on the contigs of all these sites.
  void warn_of_other_contigs() const;

 private:
  struct Item {
    genome::Region region;
    std::string name;
    bool thin = false;  // a transcript, whose exons are thick
  };
  struct File {
    std::string name;
    std::map<std::string, std::vector<Item>> items;  // by contig; sorted by start
    std::string path;
    bool has_contig = false;  // of a site
  };
  std::vector<File> files_;
};

}  // namespace bigdna::attribution
