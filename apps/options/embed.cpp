#include "apps/options/embed.h"

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "apps/options/run_options.h"
#include "apps/options/site_options.h"
#include <nlohmann/json.hpp>
#include "base/error.h"
#include "io/column_dictionary.h"
#include "io/output.h"

namespace bigdna::apps {

void EmbedOptions::visit(OptionList& visit) {
  using io::Format, prediction::Pool;
  auto& o = embed;
  visit(o.model, "model", "Model folder of bigdna or of transformers (BigBird or ModernBERT), or a run folder")
      .model()
      .required();
  visit_sequences(visit, o.input);
  visit(o.output, "-o,--output",
        concat("Output file, in the format of its suffix: ", io::formats_text(prediction::kEmbedFormats),
               "; - is stdout (TSV)"))
      .type("FILE")
      .writes({std::begin(prediction::kEmbedFormats), std::end(prediction::kEmbedFormats)});
  common.visit_header(visit);
  visit
      .choice<Format>(
          o.format, "--format",
          {{"tsv", Format::tsv}, {"hdf5", Format::hdf5}, {"npy", Format::npy}, {"safetensors", Format::safetensors}},
          "Format of the output (default: the format of the suffix of -o, otherwise tsv)")
      .default_is("")
      .not_decisive();
  visit.choice<Pool>(o.pool, "--pool",
                     {{"cls", Pool::cls}, {"mean", Pool::mean}, {"token", Pool::token}, {"base", Pool::base}},
                     "cls: one row per record, the state of [CLS]; mean: one row per record, the mean over its tokens; "
                     "token: one row per token; base: one row per base, with the state of its token");
  visit(o.layer, "--layer", "Hidden states after this layer; 0 is the embeddings, -1 the last layer")
      .check(between(-1, 1000));
  visit(o.max_length, "--max-length",
        "Number of tokens read at once, including [CLS] and [SEP]; longer records are read in pieces (0: as many as "
        "the model can read)")
      .check(not_negative())
      .type("TOKENS");
  visit_invalid_bases(visit, o.input.invalid_bases);
  visit_strict(visit, o.input.strict, "a record or region without bases, instead of a warning");
  visit_counts(visit, o.counts);
  visit_device(visit, embed.run);
  common.visit(visit);
}

void EmbedOptions::finish(OptionList& list) {
  require_sequences(list);
  const auto by_suffix = io::format_of(embed.output, prediction::kEmbedFormats);
  if (!list.given("--format"))
    embed.format = by_suffix;
  else if (by_suffix != io::Format::tsv && by_suffix != embed.format)
    throw UsageError("-o " + embed.output + ": its suffix and --format " + list["--format"].value().get<std::string>() +
                     " disagree");
  if (embed.output == "-" && !io::format_row(embed.format).text)
    throw UsageError("only TSV can be written to stdout; name a file with -o");
}

std::string EmbedOptions::details() {
  return io::columns_text("embed") + R"(
.npy: only the numbers, [rows, hidden] float32; the other columns are written to the same name with
.rows.tsv instead of .npy.
.safetensors and .h5: embeddings [rows, hidden], record (number from 0), start, end, token [rows]; names
holds the name of each record (.safetensors: in the metadata, one per line).)";
}

}  // namespace bigdna::apps
