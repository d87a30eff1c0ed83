/// bigdna variants: what each allele of a VCF does to a model's output.
#pragma once

#include "apps/options/common.h"
#include "variant_effects/variant_options.h"

namespace bigdna::apps {

struct VariantsOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "variants";
  static constexpr const char* group = "Predictions";
  static constexpr const char* summary = "Predict the effect of each alternative allele in a VCF";
  static constexpr const char* example =
      "bigdna variants chromatin_model variants.vcf.gz -g GRCh37.fa -o annotated.vcf.gz --write-index";
  CommonOptions common;
  variant_effects::VariantOptions predict;
  void visit(OptionList& visit);
  void finish(const OptionList& list);
  static std::string details();
};

void run(const VariantsOptions& options);

}  // namespace bigdna::apps
