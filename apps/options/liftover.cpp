#include "apps/options/liftover.h"

#include <algorithm>

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "base/error.h"

namespace bigdna::apps {

namespace {
constexpr std::array kFormats{io::Format::bed, io::Format::peaks, io::Format::bedgraph,
                              io::Format::tsv, io::Format::vcf,   io::Format::bcf};
}

void LiftoverOptions::visit(OptionList& visit) {
  visit(input, "input", "BED file, or with -g VCF or BCF; plain or compressed; - is stdin")
      .type("FILE")
      .input()
      .required();
  visit(chain, "--chain", "UCSC chain file from the input's assembly to the other one, plain or compressed")
      .type("CHAIN")
      .input()
      .required();
  visit(genome, "-g,--genome",
        "For VCF and BCF: FASTA of the assembly that the chain leads to, plain or bgzip; REF is compared with it")
      .type("FASTA")
      .input();
  visit(output, "-o,--output", "Lifted records with all their columns, in the order of the input; - is stdout")
      .type("FILE")
      .writes({kFormats.begin(), kFormats.end()});
  visit(unmapped, "--unmapped",
        "Records that were not lifted. BED: each after a line with the reason: #Deleted in new, #Partially deleted in "
        "new, #Split in new, #Block deleted in new, #Duplicated in new, #Empty region. VCF and BCF: with the reason as "
        "BIGDNA_REJECTED in INFO")
      .type("FILE")
      .not_decisive();
  visit(min_match, "--min-match", "BED: fraction of a record's bases that one chain must align")
      .check(between(0.0, 1.0))
      .excludes({"--genome"});
  common.visit(visit);
}

void LiftoverOptions::finish(const OptionList&) {
  if (!genome.empty()) {
    io::format_of(output, kVariantFormats);
    if (!unmapped.empty()) io::format_of(unmapped, kVariantFormats);
  } else if (std::ranges::count(kVariantFormats, io::format_of(output, kFormats))) {
    throw UsageError(
        concat(output, ": VCF and BCF are lifted with -g, the FASTA of the assembly that the chain leads to"));
  }
}

std::string LiftoverOptions::details() {
  return "BED: contig, start, end, strand (column 6), BED's thick part and blocks (7, 8, 10 to 12) and "
         "narrowPeak's\nsummit (10) are lifted; all other columns are copied.\nVCF: a record is lifted if one chain "
         "aligns all of REF without a gap, and the genome has REF there. The\nrepeat that an insertion or deletion "
         "lies "
         "in must be aligned, too. On the minus strand, alleles are\nreverse-complemented, and insertions and "
         "deletions "
         "left-aligned. CHROM, POS, REF, ALT, INFO's END and the\nheader's contigs are lifted; genotypes and "
         "everything "
         "else are copied. Alleles are never swapped.";
}

}  // namespace bigdna::apps
