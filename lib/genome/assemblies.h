/// Assemblies of the human genome, told by the lengths of their chromosomes.
#pragma once

#include <cstdint>
#include <string>

namespace bigdna::genome {

/// "20 (63025520 bp)", for messages about positions past a contig's end. Where name and length are those of a human
/// chromosome, it says of which assembly, and asks whether the positions are another's.
std::string contig_and_length(const std::string& contig, int64_t length);

}  // namespace bigdna::genome
