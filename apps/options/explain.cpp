#include "apps/options/explain.h"

#include "apps/options/checks.h"
#include "apps/options/explain_method.h"
#include "apps/options/option.h"
#include "apps/options/run_options.h"
#include "apps/options/site_options.h"
#include "base/error.h"
#include "io/column_dictionary.h"
#include "io/output.h"

namespace bigdna::apps {

void ExplainOptions::visit(OptionList& visit) {
  auto& o = explain;
  visit(o.model, "model",
        "Model of bigdna train or finetune, or a profile model: a folder, a run or a name (bigdna info --models)")
      .model()
      .required();
  visit_sites(visit, o.input, "Explain");
  visit(o.features, "--features",
        "Features to explain, joined by commas: an index, or a glob of names, cells, assays, groups or columns "
        "(default: all)")
      .type("LIST");
  visit_explain_method(visit, o);
  visit_shard(visit, o.shard);
  visit_site_checks(visit, o.input);

  visit.group("Output");
  visit(o.output, "-o,--output",
        concat("One row per base, in the format of the suffix: ", io::formats_text(attribution::kExplainFormats),
               "; bedGraph and bigWig are for one feature; - is stdout (TSV)"))
      .type("FILE")
      .writes({std::begin(attribution::kExplainFormats), std::end(attribution::kExplainFormats)});
  common.visit_header(visit);
  visit(o.substitutions, "--substitutions", "Also write the change of the logit by each single-base substitution")
      .type("FILE")
      .writes({io::Format::tsv, io::Format::hdf5});
  visit(o.modisco, "--modisco",
        "Also write PREFIX.sequences.npz and PREFIX.attributions.npz for TF-MoDISco (one feature; intervals of one "
        "length)")
      .type("PREFIX")
      .not_decisive();
  visit(o.kmers, "--kmers", "Also write the k-mers that are enriched where contributions are high")
      .type("FILE")
      .writes({io::Format::tsv});
  visit(o.kmer_length, "--kmer-length", "Length of these k-mers").type("K").check(between(3, 15)).needs({"--kmers"});
  visit(o.pictures, "--pictures",
        "Also draw a logo of each interval and feature in this folder (SVG). For networks on bases and regions of a "
        "genome, it shows the predictions of 20 bins on either side")
      .type("FOLDER")
      .not_decisive();
  visit(o.beside, "--beside",
        "Draw the annotations of this file below each picture: BED, narrowPeak or broadPeak, or the transcripts and "
        "exons of GTF or GFF3")
      .type("FILE")
      .input()
      .repeatable()
      .needs({"--pictures"})
      .not_decisive();
  visit.resume(o.resume,
               "Keep contributions in OUTPUT.journal until the outputs are complete, and continue from an existing "
               "journal. Complete outputs are left alone if OUTPUT.options.json records the same options");
  visit_device(visit, explain.run);
  common.visit_with_seed(visit);
}

void ExplainOptions::finish(OptionList& list) {
  require_sites(list);
  using Method = attribution::ExplainOptions::Method;
  const auto& o = explain;
  if (o.method != Method::mutagenesis && !o.substitutions.empty())
    throw UsageError("--substitutions needs --method mutagenesis");
  check_explain_method(list, o);
  const auto format = io::format_of(o.output, attribution::kExplainFormats);
  require_files(o.shard, o.resume, {o.input.fasta, o.input.regions}, {o.output});
  if (!o.shard.whole() &&
      (format == io::Format::bigwig || format == io::Format::bedgraph || !o.modisco.empty() || !o.kmers.empty()))
    throw UsageError("--shard cannot be used with bigWig, bedGraph, --modisco or --kmers, which need all intervals");
}

std::string ExplainOptions::details() { return io::columns_text("explain"); }

}  // namespace bigdna::apps
