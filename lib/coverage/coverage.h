/// `bigdna coverage`: files of reads or signal to a track, and a table of their quality.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "coverage/contigs.h"
#include "coverage/counter.h"
#include "coverage/quality.h"
#include "coverage/track.h"
#include "io/formats.h"
#include "io/row_writer.h"

namespace bigdna::coverage {

struct CoverageOptions {
  std::vector<std::string> inputs;  // are added up
  std::string output, table;        // "" for none
  TrackOptions track;
  int64_t bin = 1;    // bp; above 1 the values are sums over bins
  std::string peaks;  // BED, for the table
  int threads = 1;
};

inline constexpr io::Format kTrackFormats[] = {io::Format::bedgraph, io::Format::bigwig};
inline constexpr io::Format kTableFormats[] = {io::Format::tsv};

/// Writes the track and the table. `sites`: start sites by contig, sorted, for the table; may be empty.
void write_coverage(const CoverageOptions& options, const Contigs& contigs, const SitesByContig& sites);

}  // namespace bigdna::coverage
