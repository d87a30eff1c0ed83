/// Assemblies of the human genome, told by the lengths of their chromosomes, or by RefSeq's accessions of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace bigdna::genome {

/// "20 (63025520 bp)", for messages about positions past a contig's end. Where name and length are those of a human
/// chromosome, it says of which assembly, and asks whether the positions are another's.
std::string contig_and_length(const std::string& contig, int64_t length);

/// Whether name and length are those of a human chromosome in one of the assemblies.
bool is_human_chromosome(const std::string& contig, int64_t length);

/// "chr20" for "NC_000020.11", RefSeq's accession of a human or mouse chromosome, with or without its version. Any
/// other name is returned as it is.
std::string chromosome_of_accession(const std::string& name);

/// Why positions on a chromosome that is named by its accession are not those of a contig of `length` bp (`whose`: "the
/// genome's"): the accession's version is of one assembly, the length of another. nullopt where they agree, or one of
/// them is not known.
std::optional<std::string> other_assembly(const std::string& accession, int64_t length, const std::string& whose);

}  // namespace bigdna::genome
