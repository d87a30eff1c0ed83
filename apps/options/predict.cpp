#include "apps/options/predict.h"

#include "apps/options/checks.h"
#include "apps/options/run_options.h"

#include "base/error.h"
#include "io/lines.h"

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
                                 "is a start site and gets the model's interval around it; - is stdin")
                      ->type_name("BED")
                      ->excludes(fasta);
  auto* region = app.add_option("-r,--region", o.region,
                                "Score one region of --genome (samtools' notation: chr20:1-20000)")
                     ->type_name("REGION")
                     ->excludes(fasta)
                     ->excludes(regions);
  auto* genome =
      app.add_option("-g,--genome", o.genome,
                     "Genome of the regions, plain or bgzip; without regions it is scanned, both strands "
                     "unless --strands says otherwise")
          ->type_name("FASTA")
          ->excludes(fasta);
  regions->needs(genome);
  region->needs(genome);
  auto* contigs =
      app.add_option("--contigs", o.contigs, "Contigs of a scan: primary, all or a regular expression")
          ->capture_default_str()
          ->excludes(fasta)
          ->excludes(regions)
          ->excludes(region);
  contigs->needs(genome);

  const char* group = "Output";
  app.add_option(
         "-o,--output", o.output,
         "A row a tile (TSV); - is stdout, .gz is bgzip (default: - unless --bed or --bigwig is given)")
      ->type_name("FILE")
      ->group(group);
  app.add_option(
         "--bed", o.bed,
         "Called start sites (BED6 of single bases, score = 1000 x probability): tiles from the threshold on "
         "that no other of the strand within --merge-distance exceeds; - is stdout")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--bigwig", o.bigwig,
                 "Scores along the genome, half a stride around each tile's start site; with --strands both "
                 "NAME.plus.bw and NAME.minus.bw. Of a scan, or of sorted regions on +")
      ->type_name("FILE")
      ->needs(genome)
      ->group(group);
  app.add_option("--merge-distance", o.merge_distance, "Of --bed (default: half of the model's interval)")
      ->type_name("BP")
      ->check(not_negative())
      ->group(group);
  app.add_option_function<std::string>(
         "--rows",
         [&o](const std::string& text) { o.rows = text == "record" ? o.Rows::record : o.Rows::tile; },
         "tile: a row a tile; record: only the best tile of each record or region")
      ->check(CLI::IsMember({"tile", "record"}))
      ->default_str("tile")
      ->group(group);
  app.add_option(
         "--threshold", o.threshold,
         "Probability from which on a tile is called (default: the one chosen on validation; of an ensemble, "
         "the mean)")
      ->check(between(0.0, 1.0))
      ->group(group);
  app.add_flag("--seen", o.seen, "Add a column: 1 where the model was trained on some of the interval")
      ->group(group);
  app.add_flag("--resume", o.resume,
               "Keep the scores in OUTPUT.journal until the output is whole, and go on from the journal that "
               "is there")
      ->group(group);

  auto* explain =
      app.add_option("--explain", o.explain,
                     "Importance of each base for the logit in the one interval that is read (bedGraph)")
          ->type_name("FILE")
          ->group(group);
  app.add_option_function<std::string>(
         "--explain-by",
         [&o](const std::string& text) {
           o.explanation = text == "mutagenesis" ? o.Explanation::mutagenesis : o.Explanation::gradient;
         },
         "gradient: times the token's embedding, spread over its bases (one pass); mutagenesis: logit less "
         "the mean of "
         "those with the base changed (three readings a base)")
      ->check(CLI::IsMember({"gradient", "mutagenesis"}))
      ->default_str("gradient")
      ->needs(explain)
      ->group(group);

  group = "Tiles";
  app.add_option("--stride", o.stride,
                 "What is longer than the model's interval is cut into tiles of that length, so far apart; "
                 "the last ends with the sequence; 0: a quarter of the interval")
      ->type_name("BP")
      ->check(not_negative())
      ->capture_default_str()
      ->group(group);
  app.add_option("--max-n-fraction", o.max_n_fraction, "Tiles with a larger share of N get no score (.)")
      ->check(between(0.0, 1.0))
      ->capture_default_str()
      ->group(group);
  add_strands(app, o.strands, true);
  add_ensemble(app, o.ensemble);
  add_shard(app, o.shard);
  add_invalid_bases(app, o.invalid_bases);
  device.define(app);
  common.define(app);
  app.parse_complete_callback([this, fasta, regions, region, genome, &app] {
    auto& o = predict;
    const auto input = fasta->count() + regions->count() + region->count();
    if (input + genome->count() == 0)
      throw UsageError("give FASTA, or -g GENOME with or without -R BED or -r REGION");
    if (input == 0 && app.get_option("--strands")->count() == 0) o.strands = session::Strands::both;
    if (o.output.empty() && o.bed.empty() && o.bigwig.empty()) o.output = "-";
    const bool piped = io::reads_once(o.fasta) || io::reads_once(o.regions);
    if (!o.shard.whole() && piped) throw UsageError("--shard cannot divide stdin or a pipe: name a file");
    if (!o.shard.whole() && o.rows == o.Rows::record)
      throw UsageError("--rows record and --shard exclude each other: a record may lie in two parts");
    if (!o.explain.empty() && (piped || !o.shard.whole() || o.resume))
      throw UsageError("--explain reads one interval of a file, without --shard and --resume");
    if (o.resume && (piped || o.output == "-" || o.bed == "-"))
      throw UsageError("--resume needs files: stdin, stdout and pipes cannot be gone back to");
  });
  app.footer(
      "Columns: #chrom (record or contig), start and end (BED: 0-based, half-open), name (of record or "
      "region; . in a scan), score (probability; . where there are\n"
      "too many N), strand (that was read; . for --strands average), call (1 from the threshold on), seen "
      "(with --seen).");
}

void ChromatinOptions::define(CLI::App& app) {
  auto& o = predict;
  app.add_option("model", o.model, "Model of bigdna finetune chromatin (or its run folder)")
      ->required()
      ->type_name("MODEL");
  auto* regions =
      app.add_option("regions", o.regions,
                     "Regions of any size: the 200-bp bin at the centre of each is predicted; - is stdin. "
                     "Without them whole contigs are, in tiles")
          ->type_name("BED");
  app.add_option("-g,--genome", o.genome, "Genome, plain or bgzip")->required()->type_name("FASTA");
  app.add_option("--contigs", o.contigs,
                 "Contigs tiled where no regions are given: primary, all or a regular expression")
      ->capture_default_str()
      ->excludes(regions);
  auto* tile =
      app.add_option(
             "--tile", o.tile,
             "Cut longer regions into pieces of so much, a row each, the last one shorter (200: every "
             "bin; without regions: 200)")
          ->type_name("BP")
          ->check(positive());
  app.add_option(
         "--features", o.features,
         "Only these, joined by commas: indices, or globs of names, cells, assays, groups or columns (default: all)")
      ->type_name("LIST");

  const char* group = "Output";
  app.add_option(
         "-o,--output", o.output,
         "Where the rows go: TSV, or HDF5 where the name ends in .h5 or .hdf5; - is stdout, .gz is bgzip "
         "(default: - unless --bigwig is given)")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--bigwig", o.bigwig,
                 "A folder for a track of each feature, INDEX_NAME_CELL.bw: each region's probability over "
                 "all of it. "
                 "Regions must be sorted as the genome is and may not overlap")
      ->type_name("DIR")
      ->group(group);
  app.add_flag("--seen", o.seen, "Add a column: 1 where the model was trained on the bin")->group(group);
  app.add_flag("--resume", o.resume,
               "Keep the scores in OUTPUT.journal until the output is whole, and go on from the journal that "
               "is there")
      ->group(group);
  add_strands(app, o.strands, false);
  add_ensemble(app, o.ensemble);
  add_shard(app, o.shard);
  add_invalid_bases(app, o.invalid_bases);
  device.define(app);
  common.define(app);
  app.parse_complete_callback([&o, regions, tile] {
    if (regions->count() == 0 && tile->count() == 0) o.tile = 200;
    if (o.output.empty() && o.bigwig.empty()) o.output = "-";
    if (o.output.ends_with(".h5.gz") || o.output.ends_with(".hdf5.gz"))
      throw UsageError("-o " + o.output + ": HDF5 is compressed within: let the name end in .h5");
    const bool piped = io::reads_once(o.regions);
    if (!o.shard.whole() && piped) throw UsageError("--shard cannot divide stdin or a pipe: name a file");
    if (!o.shard.whole() && !o.bigwig.empty())
      throw UsageError(
          "--bigwig and --shard exclude each other: tracks cannot be put together (write HDF5 or TSV)");
    if (o.resume && (piped || o.output == "-"))
      throw UsageError("--resume needs files: stdin, stdout and pipes cannot be gone back to");
  });
  app.footer(
      "Columns: #chrom, start, end, name, score, strand and further columns as in the BED file (. where it "
      "has none), seen (with --seen), then a\n"
      "probability for each feature (name, |cell where it has one, |index where several would be called the same), in the order of the model's "
      "features.tsv (. where all of the context is N). A line\n"
      "of ## before the header says that probabilities are corrected for the positive weight of training. "
      "HDF5: "
      "predictions (float32, regions x features),\n"
      "chrom (row of contigs), start, end, name, feature_name, feature_cell and so on.");
}

}  // namespace bigdna::apps
