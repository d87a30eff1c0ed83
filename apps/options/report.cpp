#include "apps/options/report.h"

#include "apps/options/option.h"
#include "genome/signals.h"

namespace bigdna::apps {

void ReportOptions::visit(OptionList& visit) {
  visit(paths, "paths",
        "Run, dataset, corpus, vocabulary, model or evaluation folders, metrics and scores of an evaluation, "
        "predictions (TSV, BED), variants (TSV, VCF, BCF), tables of motifs, marginalize, design and haplotypes, "
        "pictures (SVG, or a folder of them)")
      .type("PATH...")
      .at_least(1)
      .input();
  visit(output, "-o,--output", "The report; - is stdout").type("FILE").writes({io::Format::html}).required();
  visit(measured, "--measured",
        "Peaks (BED, narrowPeak) or a signal (bigWig) that are drawn below the predicted tracks. NAME is the file's "
        "name unless it is given")
      .type("FILE|NAME=FILE")
      .input(genome::files_of_named)
      .repeatable();
  visit(title, "--title", "Heading of the page (default: the names of the paths)").type("TEXT");
  visit(note, "--note", "Text below the heading, such as the question, the client and the date").type("TEXT");
  visit(author, "--author", "Who made the report: below the heading, with the date").type("NAME");
  common.visit(visit);
}

std::string ReportOptions::details() {
  return "The page needs no network and no other file, so it can be sent by mail. Several paths of one kind are\ndrawn "
         "side by side.";
}

}  // namespace bigdna::apps
