#include "apps/options/embed.h"

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "apps/options/run_options.h"
#include <nlohmann/json.hpp>
#include "base/error.h"
#include "io/output.h"
#include "model_folder/model_folder.h"

namespace bigdna::apps {

void EmbedOptions::visit(OptionList& visit) {
  using prediction::EmbedFormat, prediction::Pool;
  auto& o = embed;
  visit(o.model, "model", "Model folder of bigdna or of transformers (BigBird), or a run folder")
      .type("MODEL")
      .input(model_folder::files_of)
      .required();
  visit(o.fasta, "fasta", "Sequences: plain, gzip, bgzip or xz; - is stdin").type("FASTA").input();
  visit(o.regions, "-R,--regions", "Read these regions of --genome, along their strand; - is stdin")
      .type("BED")
      .input()
      .excludes({"fasta"})
      .needs({"--genome"});
  visit(o.genome, "-g,--genome", "Genome of the regions, plain or bgzip")
      .type("FASTA")
      .input()
      .excludes({"fasta"});
  visit(o.output, "-o,--output", "Where the rows are written; - is stdout (TSV)").type("FILE").not_decisive();
  visit
      .choice<EmbedFormat>(
          o.format, "--format",
          {{"tsv", EmbedFormat::tsv}, {"npy", EmbedFormat::npy}, {"safetensors", EmbedFormat::safetensors}},
          "Format of the output (default: by the suffix of -o, otherwise tsv)")
      .default_is("");
  visit.choice<Pool>(o.pool, "--pool",
                     {{"cls", Pool::cls}, {"mean", Pool::mean}, {"token", Pool::token}, {"base", Pool::base}},
                     "cls: the state of [CLS] of each record; mean: the mean of its tokens; token: one row per token; "
                     "base: one row per base, its token's state");
  visit(o.layer, "--layer", "Hidden states after this layer; 0 is the embeddings, -1 the last layer")
      .check(between(-1, 1000));
  visit(o.max_length, "--max-length",
        "Number of tokens read at once, [CLS] and [SEP] included; longer records are read in pieces (0: as many as the "
        "model can read)")
      .check(not_negative())
      .type("TOKENS");
  visit_invalid_bases(visit, o.invalid_bases);
  visit_strict(visit, o.strict, "a record or region without bases, instead of a warning");
  visit_counts(visit, o.counts);
  visit_device(visit, run);
  common.visit(visit);
}

void EmbedOptions::finish(OptionList& list) {
  if (!list.given("fasta") && !list.given("--regions")) throw UsageError("give FASTA, or -R BED with -g");
  using prediction::EmbedFormat;
  const auto by_suffix = io::has_suffix(embed.output, {".npy"})           ? EmbedFormat::npy
                         : io::has_suffix(embed.output, {".safetensors"}) ? EmbedFormat::safetensors
                                                                         : EmbedFormat::tsv;
  if (!list.given("--format"))
    embed.format = by_suffix;
  else if (by_suffix != EmbedFormat::tsv && by_suffix != embed.format)
    throw UsageError("-o " + embed.output + ": its suffix and --format " + list["--format"].value().get<std::string>() +
                     " disagree");
}

std::string EmbedOptions::details() {
  return R"(Columns of the TSV: #name (of the record; of a region its name, or its coordinates), start, end (0-based,
half-open, in the record as read), token (id, with --pool token and base), v0, v1 ... (one number per hidden
unit).
.npy: only the numbers, [rows, hidden] float32; the other columns are written to the same name with
.rows.tsv instead of .npy.
.safetensors: embeddings [rows, hidden], record (number from 0), start, end [rows], token [rows]; the
metadata holds the names, one per line.)";
}

}  // namespace bigdna::apps
