#include "apps/options/haplotypes.h"

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "apps/options/run_options.h"
#include "base/error.h"
#include "io/column_dictionary.h"

namespace bigdna::apps {

void HaplotypesOptions::visit(OptionList& visit) {
  auto& o = haplotypes;
  visit(o.model, "model",
        "Model of bigdna train on a chromatin dataset, or a profile model: a folder, a run or a name (bigdna info "
        "--models)")
      .model()
      .required();
  visit(o.variants, "variants", "Phased genotypes: VCF (bgzip) or BCF, with an index").type("VCF").input().required();
  visit(o.input.genome, "-g,--genome", "Genome that the variants refer to, plain or bgzip")
      .type("FASTA")
      .input()
      .required();
  visit(o.input.regions, "-R,--regions", "Predict at the centre of these regions; - is stdin").type("BED").input();
  visit(o.input.region, "-r,--region", "Predict at the centre of one region (in samtools' notation: chr20:1-20000)")
      .type("REGION")
      .excludes({"--regions"});
  visit(o.samples, "--samples", "Only these samples, joined by commas (default: all)").type("LIST");
  visit(o.features, "--features",
        "Features to write, joined by commas: an index, or a glob of names, cells, assays, groups or columns (default: "
        "all)")
      .type("LIST");
  visit_part(visit, o.part);
  visit(o.max_allele, "--max-allele", "Leave out alleles that are longer").type("BP").check(positive());
  visit_invalid_bases(visit, o.input.invalid_bases);
  visit_strict(
      visit, o.input.strict,
      "a region without bases, a heterozygous genotype without phase, or an allele that is left out, instead of "
      "a warning");
  visit(o.output, "-o,--output", "The table (TSV); - is stdout").type("FILE").writes({io::Format::tsv});
  common.visit_header(visit);
  visit_device(visit, o.run);
  common.visit(visit);
}

void HaplotypesOptions::finish(OptionList& list) {
  if (!list.given("--regions") && !list.given("--region")) throw UsageError("give -R BED or -r REGION");
}

std::string HaplotypesOptions::details() { return io::columns_text("haplotypes"); }

}  // namespace bigdna::apps
