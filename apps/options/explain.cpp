#include "apps/options/explain.h"

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "apps/options/run_options.h"
#include "base/error.h"
#include "io/column_dictionary.h"
#include "io/output.h"

namespace bigdna::apps {

void ExplainOptions::visit(OptionList& visit) {
  using Method = prediction::ExplainOptions::Method;
  auto& o = explain;
  visit(o.model, "model", "Model of bigdna train (or its run folder)").model().required();
  visit(o.fasta, "fasta", "Explain these records: plain, gzip, bgzip or xz; - is stdin").type("FASTA").input();
  visit(o.regions, "-R,--regions", "Explain these regions of --genome, on its forward strand; - is stdin")
      .type("BED")
      .input()
      .excludes({"fasta"})
      .needs({"--genome"});
  visit(o.region, "-r,--region", "Explain one region of --genome (in samtools' notation: chr20:1-20000)")
      .type("REGION")
      .excludes({"fasta", "--regions"})
      .needs({"--genome"});
  visit(o.genome, "-g,--genome", "Genome of the regions, plain or bgzip").type("FASTA").input().excludes({"fasta"});
  visit(o.features, "--features",
        "Features to explain, joined by commas: an index, or a pattern of name, cell, assay or group (default: all)")
      .type("LIST");
  visit.choice<Method>(o.method, "--method", {{"mutagenesis", Method::mutagenesis}, {"gradient", Method::gradient}},
                       "mutagenesis: each base is changed to the three others; gradient: the gradient with respect to "
                       "each base, which is faster and less exact");
  visit(o.around, "--around", "Explain this many bp on either side of each interval's centre (0: the whole interval)")
      .type("BP")
      .check(not_negative());
  visit_strands(visit, o.strands, false);
  visit_invalid_bases(visit, o.invalid_bases);
  visit_strict(visit, o.strict, "an interval or record without bases, instead of a warning");

  visit.group("Output");
  visit(o.output, "-o,--output",
        concat("One row per base, in the format of the suffix: ", io::formats_text(prediction::kExplainFormats),
               "; bedGraph and bigWig hold one feature; - is stdout (TSV)"))
      .type("FILE")
      .writes({std::begin(prediction::kExplainFormats), std::end(prediction::kExplainFormats)});
  visit(o.substitutions, "--substitutions", "Also write what each single-base change does to the logit")
      .type("FILE")
      .writes({io::Format::tsv, io::Format::hdf5});
  visit(o.modisco, "--modisco",
        "Also write PREFIX.sequences.npz and PREFIX.attributions.npz for TF-MoDISco (one feature; intervals of one "
        "length)")
      .type("PREFIX")
      .not_decisive();
  visit(o.pictures, "--pictures", "Also draw a logo of each interval and feature in this folder (SVG)")
      .type("FOLDER")
      .not_decisive();
  visit_device(visit, run);
  common.visit(visit);
}

void ExplainOptions::finish(OptionList& list) {
  if (!list.given("fasta") && !list.given("--regions") && !list.given("--region"))
    throw UsageError("give FASTA, or -g GENOME with -R BED or -r REGION");
  if (explain.method == prediction::ExplainOptions::Method::gradient && !explain.substitutions.empty())
    throw UsageError("--substitutions needs --method mutagenesis");
}

std::string ExplainOptions::details() { return io::columns_text("explain"); }

}  // namespace bigdna::apps
