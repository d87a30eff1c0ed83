#include "apps/options/fill.h"

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "apps/options/run_options.h"
#include "corpus/gaps.h"
#include "io/column_dictionary.h"

namespace bigdna::apps {

void FillOptions::visit(OptionList& visit) {
  auto& o = fill;
  visit(o.model, "model", "Model of bigdna pretrain --objective next --gaps").model().required();
  visit(o.fasta, "sequences", "Sequences with gaps (FASTA: plain, gzip, bgzip or xz); - is stdin")
      .type("FASTA")
      .input()
      .required();
  visit(o.output, "-o,--output", "Output file (FASTA); compressed (BGZF) if the name ends in .gz; - is stdout")
      .type("FILE");
  visit(o.table, "--table", "Also write a table with a row for each gap (TSV)").type("FILE");
  common.visit_header(visit);
  visit(o.regions, "-R,--regions",
        "Fill these intervals instead of runs of N, and score the original bases; - is stdin")
      .type("BED")
      .input();
  visit(o.max_gap, "--max-gap",
        concat("Do not fill longer gaps (default: ", corpus::kLongestGap,
               ", which is the longest of training, or what the model reads)"))
      .check(positive())
      .type("BP");
  visit(o.temperature, "--temperature",
        "Draw tokens, with this number dividing the logits: below 1, likely tokens become more likely; 0: always take "
        "the likeliest")
      .check(between(0.0, 100.0));
  visit_invalid_bases(visit, o.invalid_bases);
  visit_device(visit, o.run);
  common.visit_with_seed(visit);
}

void FillOptions::finish(const OptionList&) {
  require_different({fill.fasta, fill.regions});
  if (!fill.table.empty()) io::format_of(fill.table, prediction::kFillTables);
}

std::string FillOptions::details() {
  return io::columns_text("fill") + R"(
What was filled is in lower case, and everything else in upper case. IUPAC codes are read as N. Each gap is
filled by itself: the model reads the input's bases on both sides, also the N of other gaps. Its tokens are
drawn among the tokens of A, C, G and T that fit into the rest of the gap.)";
}

}  // namespace bigdna::apps
