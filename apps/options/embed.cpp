#include "apps/options/embed.h"

#include <map>

#include "apps/options/checks.h"
#include "base/error.h"

namespace bigdna::apps {

void EmbedOptions::define(CLI::App& app) {
  auto& o = embed;
  app.add_option("model", o.model, "Model folder, of bigdna or of transformers (BigBird), or a run folder")->required()->type_name("MODEL");
  auto* fasta = app.add_option("fasta", o.fasta, "Records: plain, gzip or bgzip; - is stdin")->type_name("FASTA");
  auto* regions = app.add_option("-R,--regions", o.regions, "These regions of --genome, along their strand; - is stdin")->type_name("BED")->excludes(fasta);
  auto* genome = app.add_option("-g,--genome", o.genome, "Genome of the regions, plain or bgzip")->type_name("FASTA");
  regions->needs(genome);
  app.add_option("-o,--output", o.output, "Where the rows go; - is stdout (TSV)")->type_name("FILE")->capture_default_str();
  const std::map<std::string, prediction::EmbedFormat> formats{
      {"tsv", prediction::EmbedFormat::tsv}, {"npy", prediction::EmbedFormat::npy}, {"safetensors", prediction::EmbedFormat::safetensors}};
  app.add_option_function<std::string>("--format", [&o, formats](const std::string& text) { o.format = formats.at(text); },
                                       "tsv, npy or safetensors (default: by the suffix of -o, else tsv)")
      ->check(CLI::IsMember(formats));
  const std::map<std::string, prediction::Pool> pools{
      {"cls", prediction::Pool::cls}, {"mean", prediction::Pool::mean}, {"token", prediction::Pool::token}, {"base", prediction::Pool::base}};
  app.add_option_function<std::string>("--pool", [&o, pools](const std::string& text) { o.pool = pools.at(text); },
                                       "cls: [CLS] of each record; mean: mean of its tokens; token: a row a token; base: a row a base, its token's")
      ->check(CLI::IsMember(pools))
      ->default_str("mean");
  app.add_option("--layer", o.layer, "Hidden states after this layer; 0 is the embeddings, -1 the last layer")->check(between(-1, 1000))->capture_default_str();
  app.add_option("--max-length", o.run.max_length, "Tokens read at once, [CLS] and [SEP] included; longer records are read in pieces (0: what the model can)")
      ->check(not_negative())->type_name("TOKENS")->capture_default_str();
  add_invalid_bases(app, o.invalid_bases);
  device.define(app);
  common.define(app);
  app.parse_complete_callback([this, fasta, regions, &app] {
    if (fasta->count() + regions->count() == 0) throw UsageError("give FASTA, or -R BED with -g");
    const auto by_suffix = embed.output.ends_with(".npy")           ? prediction::EmbedFormat::npy
                           : embed.output.ends_with(".safetensors") ? prediction::EmbedFormat::safetensors
                                                                    : prediction::EmbedFormat::tsv;
    const bool given = app.get_option("--format")->count() > 0;
    if (given && by_suffix != prediction::EmbedFormat::tsv && by_suffix != embed.format)
      throw UsageError("-o " + embed.output + ": its suffix and --format " + app.get_option("--format")->as<std::string>() + " disagree");
    if (!given) embed.format = by_suffix;
  });
  app.footer(R"(TSV columns: #name (of the record; of a region its name, or where it lies), start, end (0-based, half-open, bases of the record
as read), token (its id; with --pool token and base), v0, v1 ... (one number per hidden unit).
.npy: the numbers alone, [rows, hidden] float32; the other columns go to the same name with .rows.tsv in place of .npy.
.safetensors: embeddings [rows, hidden], record (number from 0), start, end [rows], token [rows]; names, one a line, in the metadata.)");
}

}  // namespace bigdna::apps
