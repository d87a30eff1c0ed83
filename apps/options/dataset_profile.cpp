#include "apps/options/dataset_profile.h"

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "dataset/tracks.h"

namespace bigdna::apps {

void DatasetProfileOptions::visit(OptionList& visit) {
  visit(dataset.tracks, "--tracks",
        "Table of one track, or of strand + and then strand -: reads, fragments or a signal. Its first line names the "
        "columns: file (relative to the table), name, and any others of dataset chromatin --tracks, such as count and "
        "shift")
      .type("TSV")
      .input(dataset::track_files_of)
      .required();
  visit(dataset.peaks, "--peaks",
        "Peaks, whose summits (of a narrowPeak) or middles are the middles of regions (default: tiles of the whole "
        "genome)")
      .type("BED")
      .input();
  visit(dataset.genome, "-g,--genome", "Genome, plain or bgzip").type("FASTA").input().required();
  folder.visit(visit, "Dataset folder: regions.bed.gz, counts.safetensors, features.tsv, dataset.json").required();

  visit.group("Regions");
  visit(dataset.window, "--window", "Sequence that a model reads around a region's middle")
      .type("BP")
      .check(positive());
  visit(dataset.width, "--width", "Bases in its middle that have a profile").type("BP").check(positive());
  visit(dataset.jitter, "--jitter", "Distance by which training may move a peak or tile, either way")
      .type("BP")
      .check(not_negative());
  visit(dataset.negatives, "--negatives",
        "Background regions for each peak: windows outside all peaks, with about its share of G and C")
      .type("RATIO")
      .check(between(0.0, 1000.0));
  visit(dataset.background.gc_tolerance, "--gc-tolerance",
        "Largest difference in GC fraction between a peak and its background region; if 2000 draws find none, the "
        "nearest is taken")
      .check(between(0.0, 1.0));
  visit(dataset.background.max_n_fraction, "--max-n-fraction", "Leave out windows with a larger fraction of N")
      .check(between(0.0, 1.0));
  visit(dataset.exclude, "--exclude", "Leave out regions that overlap these (a blacklist)").type("BED").input();
  visit(dataset.contigs, "--contigs", "Contigs to use: primary, all or a regular expression").type("CONTIGS");
  visit_invalid_bases(visit, dataset.invalid_bases);
  split.visit(visit);
  common.visit_with_seed(visit);
}

std::string DatasetProfileOptions::details() {
  return R"(Columns of regions.bed.gz (BED): chrom, start, end (0-based, half-open), name, score (0), strand, split
(train, validation or test) and kind (peak, background or tile); counts.safetensors holds the counts of their
bases.)";
}

}  // namespace bigdna::apps
