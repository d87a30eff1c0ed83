/// bigdna liftover: a BED or VCF file from one assembly to another.
#pragma once

#include <array>

#include "apps/options/common.h"
#include "io/formats.h"

namespace bigdna::apps {

struct LiftoverOptions {
  static constexpr auto program = Program::data;
  static constexpr const char* name = "liftover";
  static constexpr const char* group = "Files";
  static constexpr const char* summary = "Convert a BED or VCF file from one assembly to another with a UCSC chain";
  static constexpr const char* example = "bigdna liftover hg19.bed --chain hg19ToHg38.over.chain.gz -o hg38.bed";
  static constexpr std::array kVariantFormats{io::Format::vcf, io::Format::bcf};  // with --genome
  CommonOptions common;
  std::string input, chain, genome, output = "-", unmapped;
  double min_match = 0.95;
  void visit(OptionList& visit);
  void finish(const OptionList& list);
  static std::string details();
};

void run(const LiftoverOptions& options);

}  // namespace bigdna::apps
