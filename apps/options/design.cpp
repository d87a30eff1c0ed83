#include "apps/options/design.h"

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "apps/options/run_options.h"
#include "apps/options/site_options.h"
#include "base/error.h"
#include "io/column_dictionary.h"

namespace bigdna::apps {

void DesignOptions::visit(OptionList& visit) {
  auto& o = design;
  visit(o.model, "model",
        "Model of bigdna train on a chromatin dataset, or a profile model: a folder, a run or a name (bigdna info "
        "--models)")
      .model()
      .required();
  visit_sites(visit, o.input, "Edit");
  visit(o.raise, "--raise",
        "Features to raise, joined by commas: an index, or a glob of names, cells, assays, groups or columns")
      .type("LIST");
  visit(o.lower, "--lower", "Features to lower, in the same form").type("LIST");
  visit(o.keep, "--keep", "Features that should not change, in the same form").type("LIST");
  visit(o.keep_weight, "--keep-weight", "Weight of the mean absolute change of --keep")
      .check(not_negative())
      .needs({"--keep"});
  visit(o.edits, "--edits", "Largest number of substitutions in a sequence").type("N").check(positive());
  visit(o.around, "--around", "Edit only this many bases on either side of the centre (0: the whole region or record)")
      .type("BP")
      .check(not_negative());
  visit.choice<bool>(o.evolve, "--method", {{"greedy", false}, {"evolve", true}},
                     "greedy: make the best single substitution, again and again; evolve: a genetic algorithm, by "
                     "--seed");
  visit(o.population, "--population", "Sequences that survive each generation (with --method evolve)")
      .type("N")
      .check(positive());
  visit(o.generations, "--generations", "Number of generations (with --method evolve)").type("N").check(positive());
  visit(o.random, "--random", "Number of sequences with random substitutions, whose mean value is the chance level")
      .type("N")
      .check(positive());
  visit_part(visit, o.part);
  visit_site_checks(visit, o.input);
  visit(o.output, "-o,--output", "Edited sequences (FASTA); compressed (BGZF) if the name ends in .gz; - is stdout")
      .type("FILE");
  visit(o.table, "--table", "Write the steps of each search as a table (TSV)").type("FILE").writes({io::Format::tsv});
  common.visit_header(visit);
  visit(o.picture, "--picture", "Draw the value and the chance level of each step (SVG)")
      .type("FILE")
      .writes({io::Format::svg});
  visit_device(visit, o.run);
  common.visit_with_seed(visit);
}

void DesignOptions::finish(OptionList& list) {
  require_sites(list);
  if (design.raise.empty() && design.lower.empty()) throw UsageError("give --raise or --lower, or both");
  if (!design.evolve)
    for (const char* option : {"--population", "--generations"})
      if (list.given(option)) throw UsageError(concat(option, ": only with --method evolve"));
}

std::string DesignOptions::details() {
  return R"(The header of a sequence has bases=, which bases of the contig or record it holds; edits=, the number of
substitutions; value= and chance=, as in the table; and the substitutions.

)" + io::columns_text("design");
}

}  // namespace bigdna::apps
