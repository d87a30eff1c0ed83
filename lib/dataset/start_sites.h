/// Transcription start sites, and the intervals around them (docs/design.md, section 4; paper F.2).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "genome/region.h"

namespace bigdna::dataset {

struct StartSite {
  std::string contig;
  int64_t position = 0;  // 0-based
  char strand = '+';     // '+' or '-'
  std::string name;      // "" where the file has none
  int64_t line = 0;
};

/// Reads BED6 (the 5' end of each record by its strand: a start site of one base or a whole transcript), BED
/// without strands (records of one base, taken as '+'; said once on stderr), or a table of three columns:
/// contig, 0-based position, strand. Errors name FILE:LINE.
std::vector<StartSite> read_start_sites(const std::string& path);

/// What a promoter model reads around a start site t, `upstream` + `downstream` bases of its strand:
/// [t - upstream, t + downstream) on '+', [t - downstream + 1, t + upstream + 1) on '-'. May reach past the
/// contig's ends.
genome::Region promoter_interval(const StartSite& site, int64_t upstream, int64_t downstream);

}  // namespace bigdna::dataset
