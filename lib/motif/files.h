/// Files of motifs: MEME's text format, and JASPAR's and raw matrices of counts.
#pragma once

#include <string>
#include <vector>

#include "motif/motif.h"

namespace bigdna::motif {

/// Reads MEME's minimal format (MOTIF and letter-probability matrix lines; other sections are passed over), or matrices
/// of counts under ">NAME" lines with one line for each of A, C, G and T, as JASPAR writes them. Plain or compressed,
/// "-" for stdin. Error "FILE:LINE: cause"; a file without a motif is one.
std::vector<Motif> read_motifs(const std::string& path);

/// MEME's minimal format, with base frequencies of the background.
std::string meme_text(const std::vector<Motif>& motifs, const BaseProbabilities& background);

}  // namespace bigdna::motif
