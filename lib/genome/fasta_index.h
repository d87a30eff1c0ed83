/// The .fai (and .gzi) of a FASTA: found, or built where it may be written. For Genome alone.
#pragma once

#include <string>

namespace bigdna::genome {

struct FastaIndex {
  std::string fai, gzi;  // gzi is "" for plain FASTA
};

/// The index beside `path`, or in the cache folder (${BIGDNA_CACHE:-${XDG_CACHE_HOME:-~/.cache}/bigdna}/fai), newer
/// than the FASTA; built first where there is none. Errors name the file and the cause: missing, a folder, empty, not
/// FASTA, plain gzip, truncated BGZF, lines of unequal length.
FastaIndex find_or_build_index(const std::string& path);

}  // namespace bigdna::genome
