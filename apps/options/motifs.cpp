#include "apps/options/motifs.h"

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "apps/options/run_options.h"
#include "apps/options/site_options.h"
#include "base/error.h"
#include "io/column_dictionary.h"

namespace bigdna::apps {

void MotifsOptions::visit(OptionList& visit) {
  auto& o = motifs;
  visit(o.model, "model",
        "Model of bigdna train on a chromatin dataset: a folder, a run or a name (bigdna info --models)")
      .model()
      .required();
  visit_sites(visit, o.input, "Read");
  visit(o.sites, "--sites", "Build each motif from one site in each of the N bins where the filter is highest")
      .type("N")
      .check(positive());
  visit(o.bins, "--bins", "Number of bins, drawn by --seed, in which the effect of filters on logits is measured")
      .type("N")
      .check(positive())
      .needs({"--table"});
  visit(o.features, "--features",
        "Columns of --table, joined by commas: an index, or a glob of names, cells, assays, groups or columns "
        "(default: all)")
      .type("LIST")
      .needs({"--table"});
  visit(o.known, "--known", "Compare with these motifs: MEME's text format, or JASPAR's matrices of counts")
      .type("FILE")
      .input()
      .needs({"--matches"});
  visit_site_checks(visit, o.input);

  visit.group("Output");
  visit(o.output, "-o,--output", "The motifs in MEME's text format; - is stdout").type("FILE");
  visit(o.table, "--table",
        "Also write a row per filter: its information content and its effect on each feature's logit")
      .type("FILE")
      .writes({io::Format::tsv, io::Format::hdf5});
  visit(o.matches, "--matches", "Also write which motifs of --known the filters resemble (TSV)")
      .type("FILE")
      .writes({io::Format::tsv})
      .needs({"--known"});
  visit(o.pictures, "--pictures", "Also draw a logo of each motif in this folder (SVG)").type("FOLDER").not_decisive();
  visit_device(visit, motifs.run);
  common.visit_with_seed(visit);
}

void MotifsOptions::finish(OptionList& list) { require_sites(list); }

std::string MotifsOptions::details() { return io::columns_text("motifs"); }

}  // namespace bigdna::apps
