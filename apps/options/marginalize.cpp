#include "apps/options/marginalize.h"

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "apps/options/run_options.h"
#include "apps/options/site_options.h"
#include "base/error.h"
#include "io/column_dictionary.h"

namespace bigdna::apps {

void MarginalizeOptions::visit(OptionList& visit) {
  auto& o = marginalize;
  visit(o.model, "model",
        "Model of bigdna train on a chromatin dataset, or a profile model: a folder, a run or a name (bigdna info "
        "--models)")
      .model()
      .required();
  visit(o.motifs, "motifs", "Motifs: MEME's text format, or JASPAR's matrices of counts")
      .type("MOTIFS")
      .input()
      .required();
  visit_sites(visit, o.input, "Insert motifs into the middle of");
  visit.choice<bool>(o.shuffle, "--background", {{"shuffled", true}, {"given", false}},
                     "shuffled: shuffle the sequence that the model reads around each region or record, by --seed, "
                     "keeping its dinucleotide counts; given: use it unchanged");
  visit(o.sequences, "--sequences",
        "Number of shuffled sequences (not with --background given). If there are more regions or records, --seed "
        "draws some of them; if fewer, each is shuffled several times")
      .type("N")
      .check(positive());
  visit.choice<bool>(o.draw, "--instances", {{"consensus", false}, {"drawn", true}},
                     "consensus: the most likely base of each column; drawn: bases drawn from the matrix, separately "
                     "for each sequence");
  visit(o.distances, "--distances",
        "Also insert every pair of motifs, on all strands, with this many bases between them (joined by commas)")
      .type("BP,...")
      .commas()
      .check(not_negative());
  visit(o.features, "--features",
        "Features to write, joined by commas: an index, or a glob of names, cells, assays, groups or columns (default: "
        "all)")
      .type("LIST");
  visit_part(visit, o.part);
  visit_site_checks(visit, o.input);
  visit(o.output, "-o,--output", "The table (TSV); - is stdout").type("FILE").writes({io::Format::tsv});
  common.visit_header(visit);
  visit_device(visit, marginalize.run);
  common.visit_with_seed(visit);
}

void MarginalizeOptions::finish(OptionList& list) {
  require_sites(list);
  if (!marginalize.shuffle && list.given("--sequences"))
    throw UsageError("--sequences: with --background given, every region or record is one sequence");
}

std::string MarginalizeOptions::details() { return io::columns_text("marginalize"); }

}  // namespace bigdna::apps
