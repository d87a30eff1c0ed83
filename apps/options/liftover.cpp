#include "apps/options/liftover.h"

#include "apps/options/checks.h"
#include "apps/options/option.h"

namespace bigdna::apps {

void LiftoverOptions::visit(OptionList& visit) {
  visit(input, "input", "BED file, plain or compressed; - is stdin").type("BED").input().required();
  visit(chain, "--chain", "UCSC chain file from the input's assembly to the other one, plain or compressed")
      .type("CHAIN")
      .input()
      .required();
  visit(output, "-o,--output", "Lifted records with all their columns, in the order of the input; - is stdout")
      .type("BED")
      .writes({io::Format::bed, io::Format::bedgraph, io::Format::tsv});
  visit(unmapped, "--unmapped",
        "Records that were not lifted, each after a line with the reason: #Deleted in new, #Partially deleted in new, "
        "#Split in new, #Block deleted in new, "
        "#Duplicated in new, #Empty region")
      .type("BED")
      .not_decisive();
  visit(min_match, "--min-match", "Fraction of a record's bases that one chain must align").check(between(0.0, 1.0));
  common.visit(visit);
}

std::string LiftoverOptions::details() {
  return "Columns: those of the input. Contig, start, end, strand (column 6), BED's thick part and blocks (7, 8, 10 "
         "to\n"
         "12) and narrowPeak's summit (10) are of the other assembly; all further columns are copied.";
}

}  // namespace bigdna::apps
