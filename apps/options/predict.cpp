#include "apps/options/predict.h"

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "apps/options/run_options.h"
#include "base/error.h"
#include "io/column_dictionary.h"
#include "io/lines.h"
#include "io/output.h"
#include "io/paths.h"

namespace bigdna::apps {

namespace {
const std::vector<io::Format> kFormats(std::begin(prediction::kPredictionFormats),
                                       std::end(prediction::kPredictionFormats));

// The list: the model; what is read and, of each command its own, how; what all of them do with it; the table and, of
// each its own, further outputs; what rows say beside scores, and how the job runs.

void visit_model(OptionList& visit, prediction::IntervalOptions& o, const std::string& what) {
  visit(o.model, "model", what + ": a folder, a run or a name (bigdna info --models)").model().required();
}

Option& visit_regions(OptionList& visit, prediction::IntervalOptions& o, const std::string& flags,
                      const std::string& help) {
  return visit(o.regions, flags, help + "; - is stdin").type("BED").input();
}

Option& visit_region(OptionList& visit, prediction::IntervalOptions& o, const std::string& help) {
  return visit(o.region, "-r,--region", help + " (in samtools' notation: chr20:1-20000)")
      .type("REGION")
      .needs({"--genome"});
}

Option& visit_genome(OptionList& visit, prediction::IntervalOptions& o, const std::string& more = "") {
  return visit(o.genome, "-g,--genome", "Genome of the regions, plain or bgzip" + more).type("FASTA").input();
}

Option& visit_contigs(OptionList& visit, prediction::IntervalOptions& o) {
  return visit(o.contigs, "--contigs", "Contigs to read if no regions are given: primary, all or a regular expression")
      .type("CONTIGS");
}

void visit_outputs(OptionList& visit, prediction::PredictionOptions& o) {
  visit(o.features, "--features",
        "Only these outputs, joined by commas: indices, or globs of names, cells, assays, groups or columns (default: "
        "all)")
      .type("LIST")
      .shapes_output();
}

/// `strict`: what is an error with --strict.
void visit_reading(OptionList& visit, prediction::IntervalOptions& o, const std::string& strict) {
  visit_ensemble(visit, o.ensemble);
  visit_shard(visit, o.shard);
  visit_invalid_bases(visit, o.invalid_bases);
  visit_strict(visit, o.strict, strict);
}

/// `instead`: outputs with which none goes to stdout unless it is asked for.
void visit_table(OptionList& visit, prediction::IntervalOptions& o, const std::string& row,
                 const std::string& instead = "") {
  visit.group("Output");
  visit(o.output, "-o,--output",
        concat("One row per ", row, ", in the format of the suffix: ", io::formats_text(prediction::kPredictionFormats),
               "; - is stdout (TSV) (default: -", instead.empty() ? "" : " unless ", instead,
               instead.empty() ? ")" : " is given)"))
      .type("FILE")
      .writes(kFormats);
}

/// `read`: what a row's score was computed from; `unknown`: where it has no place in a genome.
void visit_rows(OptionList& visit, prediction::IntervalOptions& o, const std::string& read,
                const std::string& unknown = "") {
  visit(o.seen, "--seen",
        concat("Add a column: 1 if the ", read, " overlaps the model's training data, 0 if not, . if unknown", unknown))
      .shapes_output();
  visit(o.parts, "--parts",
        "Add a column for each output and term of the model, such as kmers:OUTPUT (promoters: kmers), with the "
        "contribution of the term to the log-odds or the number");
  visit_counts(visit, o.counts);
  visit.resume(o.resume,
               "Keep the scores in OUTPUT.journal until the output is complete, and continue from an existing journal. "
               "A complete output is left alone if OUTPUT.options.json records the same options");
  visit_device(visit, o.run);
}

Option& visit_tracks(OptionList& visit, prediction::PredictionOptions& o) {
  return visit_track(visit, o.tracks, "the bases of the row, from start to end");
}

/// `tracks`: where they are.
void visit_spread(OptionList& visit, prediction::IntervalOptions& o, const char* tracks = "") {
  visit(o.spread, "--spread",
        concat("Add a column for each output, spread:OUTPUT", tracks,
               ": the standard deviation of the log-odds, or of the number, among the networks of the model and of "
               "--ensemble. The networks are computed a second time for this"));
}

/// HDF5 holds the same columns.
constexpr const char* kArrays = R"(
Outputs are in the order of the model's features.tsv; outputs of the same name get |index. Tracks have the
expected count of the bin. For one model and one strand, the columns of --parts add up to the log-odds of the
probability, to the natural logarithm of the expected count, or to the number. For classes they add up to the
logarithm of the probability, except for a constant that all classes of a row share.
HDF5: predictions (float32, regions x features; with --parts also one array per term, with --spread the array
spread), chrom (index into contigs), start, end, name, score, strand, further_columns, feature_name,
feature_cell and so on; of --track tracks (float32, regions x files) and track_name.
Text begins with ## lines: version, command, model and its MD5, and the positive weight w of training.
Probabilities are corrected for it: q / (q + w (1 - q)), where q is the model's.)";
}  // namespace

template <>
void PredictOptions::visit(OptionList& visit) {
  auto& o = predict;
  visit_model(visit, o, "Model of bigdna train or finetune");
  visit(o.fasta, "sequences", "FASTA, or CSV or TSV with a header line; plain, gzip, bgzip or xz; - is stdin")
      .type("FASTA|TABLE")
      .input();
  visit(o.sequence_column, "--sequence-column", "Column of a table with the bases (default: sequence or seq)")
      .type("NAME")
      .needs({"sequences"});
  visit_regions(visit, o, "-R,--regions",
                "Regions of --genome, on their strand; for a model that labels bins, the bin at the centre of each, on "
                "the genome's forward strand")
      .excludes({"sequences"})
      .needs({"--genome"});
  visit_region(visit, o, "One region of --genome").excludes({"sequences", "--regions"});
  visit_genome(visit, o).excludes({"sequences"});
  visit_outputs(visit, o);
  visit_strands(visit, o.strands);
  visit_reading(visit, o,
                "a record or region without bases, with only N, shorter than half of the model's training length (for "
                "a table: of its shortest example), or longer than twice a table's longest example. Otherwise it gets "
                "a warning or no score");
  visit_table(visit, o, "sequence or region");
  common.visit_header(visit);
  visit_spread(visit, o);
  visit_tracks(visit, o).needs({"--genome"});
  visit_rows(visit, o, "region", " (sequences, unless named CONTIG:FIRST-LAST as by samtools faidx)");
  common.visit(visit);
}

template <>
void PredictOptions::finish(const OptionList&) {
  auto& o = predict;
  if (o.fasta.empty() && o.regions.empty() && o.region.empty())
    throw UsageError("give sequences (FASTA, CSV or TSV), or -g GENOME with -R BED or -r REGION");
  if (o.output.empty()) o.output = "-";
  require_files(o.shard, o.resume, {o.fasta, o.regions}, {o.output, o.counts});
}

template <>
std::string PredictOptions::details() {
  return io::columns_text("predict") + R"(
Of a sequence that is too long for the model, an encoder reads the part around its start site, bin or middle,
and a network on bases the part around its middle. The number of such sequences is reported.)" +
         kArrays;
}

template <>
void ChromatinOptions::visit(OptionList& visit) {
  auto& o = predict;
  o.head = o.command = name;
  visit_model(visit, o, "Model of chromatin features, of bigdna train or finetune");
  visit_regions(visit, o, "regions",
                "Regions of any size: the bin at the centre of each is predicted. Without regions, whole contigs are "
                "tiled");
  visit_region(visit, o, "One region of --genome, cut into bins or, with --tile, into tiles").excludes({"regions"});
  visit_genome(visit, o).required();
  visit_contigs(visit, o).excludes({"regions", "--region"});
  visit(o.tile, "--tile",
        "Cut longer regions into pieces of this length, with one row each; the last piece can be shorter (default: "
        "BED regions are not cut; whole contigs and --region are cut into the model's bins)")
      .type("BP")
      .default_is("")
      .check(positive());
  visit_outputs(visit, o);
  visit_strands(visit, o.strands);
  visit_reading(visit, o, "a region where the model would read only N, instead of a row without a score");
  visit_table(visit, o, "region, piece or bin", "--bigwig");
  common.visit_header(visit);
  visit(
      o.bigwig, "--bigwig",
      "Folder for one track per feature, INDEX_NAME_CELL.bw (for features of one strand INDEX_NAME_plus.bw), with the "
      "probability of each region over its whole length. Regions must be sorted as the genome is and must not overlap")
      .type("DIR")
      .not_decisive();
  visit_spread(visit, o, ", and a track for each of --bigwig, NAME.spread.bw");
  visit_tracks(visit, o);
  visit_rows(visit, o, "bin");
  common.visit(visit);
}

template <>
void ChromatinOptions::finish(const OptionList& list) {
  auto& o = predict;
  o.by_bins = !list.given("regions") && !list.given("--tile");
  if (o.strict && !list.given("regions") && !list.given("--region"))
    throw UsageError("--strict needs regions: whole contigs have stretches of N, which get no score");
  if (o.output.empty() && o.bigwig.empty()) o.output = "-";
  while (o.bigwig.size() > 1 && o.bigwig.ends_with('/')) o.bigwig.pop_back();  // the journal is beside the folder
  for (const auto& [given, option] : {std::pair{o.parts, "--parts"}, {!o.tracks.empty(), "--track"}})
    if (given && o.output.empty())
      throw UsageError(concat(option, " adds columns to the table of -o only, not to bigWig: give -o FILE too"));
  require_files(o.shard, o.resume, {o.regions}, {o.output, o.counts});
}

template <>
std::string ChromatinOptions::details() {
  return io::columns_text("chromatin") + kArrays;
}

namespace {
void visit_calls(OptionList& visit, prediction::PredictPromoterOptions& o) {
  visit(o.bed, "--bed",
        "Write the called start sites to this file (BED6 of single bases, score = 1000 x probability): tiles that "
        "reach the threshold and score highest on their strand within --merge-distance; - is stdout. A file that "
        "bigdna did not write is not replaced")
      .type("FILE")
      .writes({io::Format::bed, io::Format::tsv});
  visit(o.bigwig, "--bigwig",
        "Scores along the genome, each over half a stride on either side of its tile's start site; with --strands both "
        "NAME.plus.bw and NAME.minus.bw. For scans and for sorted regions on +")
      .type("FILE")
      .needs({"--genome"})
      .writes({io::Format::bigwig});
  visit(o.merge_distance, "--merge-distance",
        "Distance within which --bed keeps only the best tile (default: half of the model's interval; 500 for a "
        "network that labels bins)")
      .type("BP")
      .check(not_negative())
      .shapes_output();
  visit
      .choice<prediction::PredictPromoterOptions::Rows>(
          o.rows, "--rows", {{"tile", o.Rows::tile}, {"record", o.Rows::record}},
          "tile: one row per tile; record: only the best tile of each record or region")
      .shapes_output();
  visit(o.threshold, "--threshold",
        "Probability from which a tile is called (default: the one chosen on the validation split; for an ensemble, "
        "the mean)")
      .check(between(0.0, 1.0))
      .shapes_output();
}
}  // namespace

template <>
void PredictPromoterOptions::visit(OptionList& visit) {
  auto& o = predict;
  visit_model(visit, o, "Model that labels promoters or start sites");
  visit(o.fasta, "fasta", "Sequences to score: plain, gzip, bgzip or xz; - is stdin").type("FASTA").input();
  visit_regions(visit, o, "-R,--regions",
                "Score these regions of --genome on their strand; a region of one base is a start site, and the "
                "model's interval around it is scored")
      .excludes({"fasta"})
      .needs({"--genome"});
  visit_region(visit, o, "Score one region of --genome").excludes({"fasta", "--regions"});
  visit_genome(visit, o, "; without regions the whole genome is scanned, on both strands by default (--strands)")
      .excludes({"fasta"});
  visit_contigs(visit, o).excludes({"fasta", "--regions", "--region"}).needs({"--genome"});
  visit_sided_strands(visit, o.strands);
  visit_reading(visit, o,
                "a record or region without bases, with too many N, or shorter than half of the model's interval. "
                "Otherwise it gets a warning or no score");
  visit.group("Tiles");
  visit(o.stride, "--stride",
        "Distance between tile starts, for sequences longer than the model's interval; the last tile ends where the "
        "sequence ends (default: a quarter of the interval; for a network that labels bins, a bin)")
      .type("BP")
      .check(positive());
  visit(o.max_n_fraction, "--max-n-fraction", "Tiles with a larger fraction of N get no score (.)")
      .check(between(0.0, 1.0));
  visit_table(visit, o, "tile", "--bed or --bigwig");
  common.visit_header(visit);
  visit_calls(visit, o);
  visit_rows(visit, o, "interval", " (FASTA records, unless named CONTIG:FIRST-LAST as by samtools faidx)");
  common.visit(visit);
}

namespace {
/// --bed is easily taken for an input, which would then be replaced.
void refuse_other_bed(const std::string& path) {
  io::LineReader lines(path);
  if (const auto line = lines.next(); line && !line->starts_with("##bigdna"))
    throw UsageError(concat("--bed ", path,
                            ": names the file that start sites are written to, but this one exists and bigdna did not "
                            "write it (-R reads regions)"));
}
}  // namespace

template <>
void PredictPromoterOptions::finish(const OptionList& list) {
  auto& o = predict;
  const bool input = list.given("fasta") || list.given("--regions") || list.given("--region");
  if (!input && !list.given("--genome"))
    throw UsageError("give FASTA, or -g GENOME with or without -R BED or -r REGION");
  if (!input && o.strict)
    throw UsageError("--strict needs FASTA, -R or -r: whole contigs have stretches of N, which get no score");
  if (o.output.empty() && o.bed.empty() && o.bigwig.empty()) o.output = "-";
  if (o.output.empty())
    for (const char* option : {"--rows", "--seen", "--parts"})
      if (list.given(option)) throw UsageError(concat(option, ": only for the rows of -o, which is not given"));
  if (list.given("--merge-distance") && o.bed.empty())
    throw UsageError("--merge-distance: only for --bed, which is not given");
  require_files(o.shard, o.resume, {o.fasta, o.regions}, {o.output, o.bed, o.counts});
  // --resume compares an output that is there with its record; a part of a prediction has one, but no header
  if (!o.bed.empty() && !o.resume && !io::reads_once(o.bed) && io::is_file(o.bed) &&
      !io::exists(o.bed + ".options.json"))
    refuse_other_bed(o.bed);
  if (!o.shard.whole() && o.rows == o.Rows::record)
    throw UsageError("--rows record cannot be used with --shard: a record may lie in two parts");
}

template <>
std::string PredictPromoterOptions::details() {
  return io::columns_text("predict-promoter");
}

}  // namespace bigdna::apps
