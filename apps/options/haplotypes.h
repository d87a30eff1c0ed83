/// bigdna haplotypes: how predictions change with all alleles of a sample's haplotype.
#pragma once

#include "apps/options/common.h"
#include "variant_effects/haplotype_options.h"

namespace bigdna::apps {

struct HaplotypesOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "haplotypes";
  static constexpr const char* group = "Models";
  static constexpr const char* summary = "Predict regions on both haplotypes of samples with phased genotypes";
  static constexpr const char* example =
      "bigdna haplotypes human-chr20-chrX phased.vcf.gz -g hg19.fa -R regions.bed --samples NA12878 -o out.tsv";
  CommonOptions common;
  variant_effects::HaplotypeOptions haplotypes;
  void visit(OptionList& visit);
  void finish(OptionList& list);
  static std::string details();
};

void run(const HaplotypesOptions& options);

}  // namespace bigdna::apps
