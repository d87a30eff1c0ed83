/// Records as lines of VCF, and as BCF.
#pragma once

#include <htslib/vcf.h>

#include <memory>
#include <string>

#include "variants/vcf_reader.h"

namespace bigdna::variants {

/// The record as a line of VCF.
std::string text_of(const VcfHeader& header, const VcfRecord& record);
/// The record as BCF with the dictionary of `header`, which may declare more than the input's. Error "WHERE: ..." if
/// BCF would not hold all of it: a contig, key or filter that the header does not declare, or a number that is not of
/// its key's Type, beyond 32 bits, or too large for a Float.
std::shared_ptr<bcf1_t> bcf_of(const bcf_hdr_t* header, const VcfRecord& record);

}  // namespace bigdna::variants
