#include "apps/options/dataset_chromatin.h"

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "base/error.h"
#include "dataset/bin.h"
#include "dataset/deepsea.h"
#include "dataset/features.h"
#include "dataset/tracks.h"

namespace bigdna::apps {

void DatasetChromatinOptions::visit(OptionList& visit) {
  visit(dataset.peaks, "--peaks",
        "Table of peak files (BED, narrowPeak or broadPeak, plain or compressed). Its first line names the columns: "
        "file (relative to the table), name, and optionally cell, assay and group (TF, DHS, HM or other)")
      .type("TSV")
      .input(dataset::peak_files_of);
  visit(dataset.start_sites, "--start-sites",
        "Start sites of transcripts (as in dataset promoter: BED6, GTF, GFF3, SGA, FPS or a table). They add two "
        "features, TSS of strand + and TSS of strand -, which are 1 in bins that contain a site. For bigdna train")
      .type("FILE")
      .input();
  visit(dataset.tracks, "--tracks",
        "Table of tracks: reads (BAM, CRAM, SAM, BED), fragments (BEDPE, 10x) or signals (bigWig, bedGraph), which are "
        "summed over each bin. Its first line names the columns: file (relative to the table), name, and optionally "
        "cell, assay, group, count, unit, strand, shift, extend, fragment_length, min_mapq, duplicates, scale, "
        "barcodes and barcode_group (the options of bigdna coverage)")
      .type("TSV")
      .input(dataset::track_files_of);
  visit(dataset.deepsea, "--deepsea",
        "Instead of peaks: the folder with DeepSEA's train.mat, valid.mat and test.mat. Bins are located in the genome "
        "(hg19); labels and "
        "splits are taken as published")
      .type("DIR")
      .input(dataset::deepsea_files_of)
      .excludes({"--peaks", "--start-sites", "--tracks", "--bin", "--keep", "--negatives", "--max-bins",
                 "--max-n-fraction", "--exclude", "--test", "--validation", "--split-like", "--split-block",
                 "--split-gap"});
  visit(dataset.genome, "-g,--genome", "Genome, plain or bgzip").type("FASTA").input().required();
  folder.visit(visit, "Dataset folder: regions.bed.gz, labels.safetensors, features.tsv, dataset.json").required();

  visit.group("Bins");
  visit(dataset.bin, "--bin", concat("Width of the bins: ", dataset::bin_widths_text())).type("BP");
  visit(dataset.keep, "--keep",
        "Bins to keep. tf: bins with a label of group TF; any: bins with any label; all: every bin; auto: all if there "
        "are tracks, tf if the table of peaks has that group, otherwise any")
      .one_of({"auto", "tf", "any", "all"});
  visit(dataset.negatives, "--negatives", "Number of bins without any label to add, as a fraction of the bins kept")
      .type("FRACTION")
      .check(not_negative());
  visit(dataset.max_bins, "--max-bins", "Keep at most this many bins, drawn by --seed; 0: all").check(not_negative());
  visit(dataset.upstream, "--upstream", "Context before the bin that a model reads").type("BP");
  visit(dataset.downstream, "--downstream", "Context after the bin").type("BP");
  visit(dataset.max_n_fraction, "--max-n-fraction", "Leave out bins whose context has a larger fraction of N")
      .check(between(0.0, 1.0));
  visit(dataset.exclude, "--exclude", "Regions to leave out (a blacklist)").type("BED").input();
  visit(dataset.contigs, "--contigs", "Contigs to use: primary, all or a regular expression").type("CONTIGS");
  visit_invalid_bases(visit, dataset.invalid_bases);
  split.visit(visit);
  common.visit_with_seed(visit);
}

void DatasetChromatinOptions::finish(const OptionList& list) {
  if (!list.given("--peaks") && !list.given("--start-sites") && !list.given("--tracks") && !list.given("--deepsea"))
    throw UsageError("give --peaks TSV, --start-sites FILE, --tracks TSV or --deepsea DIR");
}

std::string DatasetChromatinOptions::details() {
  return R"(Columns of regions.bed.gz (BED): chrom, start, end (0-based, half-open), name, score (number of labels that
are 1), strand, split (train, validation or test). labels.safetensors has a bit for each label of a bin, and
the counts of tracks. Columns of features.tsv: #index, name, cell, assay, group, strand and, with tracks,
kind (binary or counts).)";
}

}  // namespace bigdna::apps
