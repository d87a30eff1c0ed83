/// Where an insertion or deletion lies: in a repeat, at any of several places.
#pragma once

#include <string>

#include "genome/region.h"
#include "variants/allele.h"
#include "variants/vcf_reader.h"

namespace bigdna::variants {

/// The bases over which an insertion or deletion may be moved without another result, and one more on either side,
/// which hold it there. Within the contig. The record's contig, position and REF are the genome's, and alt has only
/// bases.
genome::Region indel_place(const VcfRecord& record, const std::string& alt, GenomeWindow& window);

}  // namespace bigdna::variants
