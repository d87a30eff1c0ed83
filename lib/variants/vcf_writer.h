/// Writes annotated VCF and BCF: INFO keys BIGDNA_*, one value per alternative allele (Number=A), and BIGDNA_SKIPPED.
/// Everything else in a record stays as it was; from VCF to VCF, byte for byte.
#pragma once

#include <memory>

#include "variants/writer.h"

namespace bigdna::variants {

std::unique_ptr<VariantWriter> make_vcf_writer(const WriterOptions& options, const VcfHeader& header);

}  // namespace bigdna::variants
