#include "apps/options/predict.h"
#include "apps/options/run_options.h"

#include "base/error.h"

namespace bigdna::apps {

void PredictPromoterOptions::define(CLI::App& app) {
  auto& o = predict;
  app.add_option("model", o.model, "Model of bigdna finetune promoter (or its run folder)")
      ->required()
      ->type_name("MODEL");
  auto* fasta = app.add_option("fasta", o.fasta, "Records to score: plain, gzip or bgzip; - is stdin")
                    ->type_name("FASTA");
  auto* regions = app.add_option("-R,--regions", o.regions,
                                 "Score these regions of --genome along their strand; a region of one base "
                                 "is a start site and gets "
                                 "the model's interval around it; - is stdin")
                      ->type_name("BED")
                      ->excludes(fasta);
  auto* region = app.add_option("-r,--region", o.region,
                                "Score one region of --genome (samtools' notation: chr20:1-20000)")
                     ->type_name("REGION")
                     ->excludes(fasta)
                     ->excludes(regions);
  auto* genome =
      app.add_option("-g,--genome", o.genome, "Genome of the regions, plain or bgzip")->type_name("FASTA");
  regions->needs(genome);
  region->needs(genome);
  app.add_option("-o,--output", o.output, "Where the rows go; - is stdout; .gz is bgzip")
      ->type_name("FILE")
      ->capture_default_str();
  app.add_option_function<std::string>(
         "--format",
         [&o](const std::string& text) { o.format = text == "bed" ? o.Format::bed : o.Format::tsv; },
         "tsv, or bed: BED6 of what is called a promoter, score = 1000 x probability (default: bed where -o "
         "ends in .bed or .bed.gz, else tsv)")
      ->check(CLI::IsMember({"tsv", "bed"}));

  const char* group = "Tiles";
  app.add_option("--stride", o.stride,
                 "What is longer than the model's interval is cut into tiles of that length, so far apart; "
                 "the last ends with the "
                 "sequence; 0: a quarter of the interval")
      ->type_name("BP")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->group(group);
  app.add_option_function<std::string>(
         "--rows",
         [&o](const std::string& text) { o.rows = text == "record" ? o.Rows::record : o.Rows::tile; },
         "tile: a row a tile; record: only the best tile of each record or region")
      ->check(CLI::IsMember({"tile", "record"}))
      ->default_str("tile")
      ->group(group);
  app.add_option("--max-n-fraction", o.max_n_fraction, "Tiles with a larger share of N get no score (.)")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str()
      ->group(group);
  add_strands(app, o.strands, true);
  app.add_option("--threshold", o.threshold,
                 "Probability from which on a tile is called (default: the one chosen on validation)")
      ->check(CLI::Range(0.0, 1.0));
  app.add_flag("--seen", o.seen, "Add a column: 1 where the model was trained on some of the interval");
  add_invalid_bases(app, o.invalid_bases);
  device.define(app);
  common.define(app);
  app.parse_complete_callback([this, fasta, regions, region, &app] {
    if (fasta->count() + regions->count() + region->count() == 0)
      throw UsageError("give FASTA, or -R BED or -r REGION with -g");
    const auto ends = [&](const std::string& suffix) {
      return predict.output.size() > suffix.size() && predict.output.ends_with(suffix);
    };
    if (app.get_option("--format")->count() == 0 && (ends(".bed") || ends(".bed.gz")))
      predict.format = tasks::PredictPromoterOptions::Format::bed;
  });
  app.footer(
      "Columns: #chrom (record or contig), start and end (BED: 0-based, half-open), name (of record or "
      "region), score (probability; . where there are\n"
      "too many N), strand (that was read; . for --strands average), call (1 from the threshold on), seen "
      "(with --seen).");
}

void ChromatinOptions::define(CLI::App& app) {
  auto& o = predict;
  app.add_option("model", o.model, "Model of bigdna finetune chromatin (or its run folder)")
      ->required()
      ->type_name("MODEL");
  app.add_option("regions", o.regions,
                 "Regions of any size: the 200-bp bin at the centre of each is predicted; - is stdin")
      ->required()
      ->type_name("BED");
  app.add_option("-g,--genome", o.genome, "Genome, plain or bgzip")->required()->type_name("FASTA");
  app.add_option("-o,--output", o.output, "Where the rows go; - is stdout; .gz is bgzip")
      ->type_name("FILE")
      ->capture_default_str();
  app.add_option("--features", o.features,
                 "Only these, joined by commas: indices, or globs of names, cells or groups (default: all)")
      ->type_name("LIST");
  add_strands(app, o.strands, false);
  app.add_flag("--seen", o.seen, "Add a column: 1 where the model was trained on the bin");
  add_invalid_bases(app, o.invalid_bases);
  device.define(app);
  common.define(app);
  app.footer(
      "Columns: #chrom, start, end, name, score, strand and further columns as in the BED file (. where it "
      "has none), seen (with --seen), then a\n"
      "probability for each feature (name, and |cell where it has one), in the order of the model's "
      "features.tsv. A line of ## before the header says\n"
      "that probabilities are corrected for the positive weight of training.");
}

}  // namespace bigdna::apps
