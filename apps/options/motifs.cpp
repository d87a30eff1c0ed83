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
  visit(o.sites, "--sites",
        "Build each motif from this many bins, those where the filter is highest, with one site per bin")
      .type("N")
      .check(positive());
  visit(o.bins, "--bins", "Measure what filters add to logits in this many bins, drawn by --seed")
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
  visit(o.table, "--table", "Also write a row per filter: its information and what it adds to each feature's logit")
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
