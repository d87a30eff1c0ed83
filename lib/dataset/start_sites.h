/// Transcription start sites, and the intervals around them (docs/semantics.md; paper F.2).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "genome/fasta.h"
#include "genome/interval_set.h"
#include "genome/region.h"

namespace bigdna::dataset {

struct StartSite {
  std::string contig;
  int64_t position = 0;  // 0-based
  char strand = '+';     // '+' or '-'
  std::string name;      // "" if the file has none
  int64_t line = 0;
};

/// The bases that a gene annotation's transcripts and their exons (coding sequence and UTRs among them) cover. Empty
/// for formats without them.
struct AnnotatedBases {
  genome::IntervalSet transcripts, exons;
};

/// Reads start sites in the format of the first line, which is logged unless it is BED:
/// - BED6: the 5' end of each record, which is a start site of one base or a whole transcript; BED without strands:
///   records of one base, taken as '+', with a warning. Of records of 8 to 11 columns and at most 1000 bp the 5' end of
///   the thick part (columns 7 and 8; EPDnew, FANTOM5), if this is shorter than the record and lies within it
/// - a table of three columns: contig, 0-based position, strand
/// - SGA (EPD, ChIP-Seq server): tab-separated sequence, feature, 1-based position, strand (+ - 0), count,
///   name
/// - FPS (EPD's functional position sets): lines "FP   name :+S  EU:NC_000008.9  1+ 128817660; id", 1-based
/// - GTF or GFF3: the 5' end of each transcript (genome::Transcripts), which counts what it does not read
/// Errors "FILE:LINE: cause", also for a line in another format than the first.
/// `annotated`: is filled, on the contigs as the file spells them.
std::vector<StartSite> read_start_sites(const std::string& path, AnnotatedBases* annotated = nullptr);

/// The genome's name of a start site's contig: Genome::resolve(), also by the name of RefSeq's accession. Error naming
/// the site's line in `path` if the accession is a chromosome of another assembly.
std::optional<std::string> contig_of_site(const genome::Genome& genome, const StartSite& site, const std::string& path);

/// The start sites of a file that lie in the genome, on contigs of its names; logs how many do not. Error if none does.
/// `annotated`: is filled, on the genome's contigs.
std::vector<StartSite> start_sites_in(const genome::Genome& genome, const std::string& path,
                                      AnnotatedBases* annotated = nullptr);

/// The input of a promoter model for a start site t, `upstream` + `downstream` bases on its strand:
/// [t - upstream, t + downstream) on '+', [t - downstream + 1, t + upstream + 1) on '-'. May reach past the
/// contig's ends.
genome::Region promoter_interval(const StartSite& site, int64_t upstream, int64_t downstream);

}  // namespace bigdna::dataset
