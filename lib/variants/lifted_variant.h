/// Lift-over of VCF records. A record is lifted only where its alleles mean the same in the other assembly, so that
/// genotypes, counts and frequencies stay true as they are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "genome/chain.h"
#include "genome/fasta.h"
#include "io/provenance.h"
#include "variants/allele.h"
#include "variants/vcf_reader.h"

namespace bigdna::variants {

/// Why a record is not lifted.
struct Rejection {
  std::string name;  // "reference_mismatch"
  std::string text;  // an explanation for the log
};

struct LiftedVariant {
  /// The record with its new `line`. Of a rejected one that is the input's, with BIGDNA_REJECTED=NAME in INFO.
  VcfRecord record;
  std::optional<Rejection> rejected;
  bool turned = false;  // the chain is on the minus strand: the alleles are reverse-complemented
};

class VariantLifter {
 public:
  /// Both must outlive this. `genome`: of the assembly that the chains lead to.
  VariantLifter(const genome::Chains& chains, const genome::Genome& genome);
  /// Lifts a record if one chain aligns all bases of REF without a gap, if REF is then what the genome has, and if the
  /// alleles are bases (ALT may also be * or missing). Around insertions and deletions more must be aligned. CHROM
  /// becomes the genome's name. On the minus strand alleles are reverse-complemented, and those of different lengths
  /// are left-aligned. INFO's END, which must be the end of REF, is set. All else stays as it is. Error "WHERE: ..." if
  /// the record or the genome is of another assembly than the chain file's.
  LiftedVariant lift(const VcfHeader& header, const VcfRecord& record);

 private:
  /// Lifts `moved`; nullopt if it could be lifted.
  std::optional<Rejection> lift_to_genome(VcfRecord& moved, bool& turned);
  std::optional<Rejection> fault_of_alleles(const VcfRecord& moved);
  /// Whether a chain aligns, without a gap, the repeats in which insertions and deletions may be moved, and a base on
  /// either side. Otherwise they are other changes in the new assembly. `region`: REF in the old one.
  bool aligns_indels(const genome::Region& region, const VcfRecord& moved, bool turned);
  void refuse_other_assembly(const std::string& where, const std::string& contig) const;

  const genome::Chains& chains_;
  GenomeWindow window_;
  AlleleReader alleles_;
};

/// The header of lifted records: contigs are the genome's, and there is no ##reference.
std::string lifted_header(const VcfHeader& header, const genome::Genome& genome, const io::Provenance& provenance);
/// The header of rejected records: the input's, and a line that describes BIGDNA_REJECTED.
std::string rejected_header(const VcfHeader& header, const io::Provenance& provenance);

}  // namespace bigdna::variants
