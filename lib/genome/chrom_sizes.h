/// The contigs of a genome without its sequence.
#pragma once

#include <string>
#include <vector>

#include "genome/fasta.h"

namespace bigdna::genome {

/// Reads UCSC's chrom.sizes, bedtools' genome files or a .fai: a name and a length in each line, separated by tabs or
/// blanks; further columns are not read. Errors "FILE:LINE: cause", also for a name that comes twice.
std::vector<Contig> read_chrom_sizes(const std::string& path);

}  // namespace bigdna::genome
