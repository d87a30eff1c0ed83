#include "apps/options/motifs.h"

#include <utility>

#include "apps/options/checks.h"
#include "apps/options/explain_method.h"
#include "apps/options/option.h"
#include "apps/options/run_options.h"
#include "apps/options/site_options.h"
#include "base/error.h"
#include "io/column_dictionary.h"

namespace bigdna::apps {

namespace {
constexpr const char* kDeNovo = "De novo motifs";
constexpr const char* kFilters = "filters";
}  // namespace

void MotifsOptions::visit(OptionList& visit) {
  auto& o = motifs;
  visit(o.model, "model",
        "Model of bigdna train on a chromatin dataset, or with --de-novo any that bigdna explain takes: a folder, a "
        "run or a name (bigdna info --models)")
      .model()
      .required();
  visit_sites(visit, o.input, "Read");
  visit(o.sites, "--sites", "Build each motif from one site in each of the N bins where the filter is highest")
      .type("N")
      .check(positive())
      .tag(kFilters);
  visit(o.bins, "--bins", "Number of bins, drawn by --seed, in which the effect of filters on logits is measured")
      .type("N")
      .check(positive())
      .needs({"--table"})
      .tag(kFilters);
  visit(o.features, "--features",
        "Columns of --table, or with --de-novo the features whose motifs are sought, joined by commas: an index, or a "
        "glob of names, cells, assays, groups or columns (default: all)")
      .type("LIST");
  visit(o.known, "--known", "Compare with these motifs: MEME's text format, or JASPAR's matrices of counts")
      .type("FILE")
      .input();
  visit_site_checks(visit, o.input);

  visit.group(kDeNovo);
  visit(o.de_novo, "--de-novo",
        "Find motifs in what the bases contribute to the features, instead of in filters: seqlets whose sum of "
        "contributions is higher than in shuffled sequence, in groups of like ones");
  visit(o.min_seqlets, "--min-seqlets", "Number of seqlets that a motif needs").type("N").check(between(2, 1'000'000));
  visit(o.hits, "--hits", "Also write the positions of the motifs in the regions, with q-values (BED)")
      .type("FILE")
      .writes({io::Format::bed});
  visit(o.max_q, "--max-q", "Write hits with a q-value up to this")
      .type("Q")
      .check(between(0.0, 1.0))
      .needs({"--hits"});
  visit_explain_method(visit, o.explain);

  visit.group("Output");
  visit(o.output, "-o,--output", "The motifs in MEME's text format; - is stdout").type("FILE");
  visit(o.table, "--table",
        "Also write a row per filter, with its information content and its effect on each feature's logit, or per "
        "motif of --de-novo")
      .type("FILE")
      .writes({io::Format::tsv, io::Format::hdf5});
  common.visit_header(visit);
  visit(o.matches, "--matches", "Also write which motifs of --known the motifs resemble (TSV)")
      .type("FILE")
      .writes({io::Format::tsv})
      .needs({"--known"});
  visit(o.pictures, "--pictures", "Also draw a logo of each motif in this folder (SVG)").type("FOLDER").not_decisive();
  visit_device(visit, motifs.run);
  common.visit_with_seed(visit);
}

void MotifsOptions::finish(OptionList& list) {
  require_sites(list);
  if (motifs.de_novo) {
    list.refuse_with(kFilters, "with --de-novo, which does not read filters");
    check_explain_method(list, motifs.explain);
    if (list.given("--known") && !list.given("--table") && !list.given("--matches"))
      throw UsageError("--known needs --table or --matches");
    return;
  }
  list.refuse_with(kDeNovo, "without --de-novo");
  for (const auto& [option, needed] : {std::pair("--features", "--table"), std::pair("--known", "--matches")})
    if (list.given(option) && !list.given(needed)) throw UsageError(concat(option, " needs ", needed));
}

std::string MotifsOptions::details() { return io::columns_text("motifs"); }

}  // namespace bigdna::apps
