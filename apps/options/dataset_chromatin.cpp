#include "apps/options/dataset_chromatin.h"

#include "apps/options/checks.h"
#include "base/error.h"

namespace bigdna::apps {

void DatasetChromatinOptions::define(CLI::App& app) {
  auto* peaks =
      app.add_option("--peaks", dataset.peaks,
                     "Table of peak files (BED, narrowPeak, broadPeak; plain or compressed); its first line "
                     "names the columns: file (relative to the table), "
                     "name, and any of cell, assay, group (TF, DHS, HM or other)")
          ->type_name("TSV");
  auto* deepsea = app.add_option("--deepsea", dataset.deepsea,
                                 "In place of peaks: the folder of DeepSEA's train.mat, valid.mat and "
                                 "test.mat; bins are found in the "
                                 "genome (hg19), labels and splits are taken as published")
                      ->type_name("DIR");
  app.add_option("-g,--genome", dataset.genome, "Genome, plain or bgzip")->required()->type_name("FASTA");
  folder.define(app, "Dataset folder: regions.bed.gz, labels.safetensors, features.tsv, dataset.json");

  const char* group = "Bins";
  app.add_option("--keep", dataset.keep,
                 "Bins kept: tf = with a label of group TF; any = with any label; all; auto = tf where the "
                 "table has that group, else any")
      ->check(CLI::IsMember({"auto", "tf", "any", "all"}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--negatives", dataset.negatives,
                 "Bins without any label to add, as a fraction of those kept")
      ->type_name("FRACTION")
      ->check(not_negative())
      ->capture_default_str()
      ->group(group);
  app.add_option("--max-bins", dataset.max_bins, "Keep at most so many bins, drawn by --seed; 0: all")
      ->check(not_negative())
      ->capture_default_str()
      ->group(group);
  app.add_option("--upstream", dataset.upstream, "Context before the bin that a model reads")
      ->type_name("BP")
      ->capture_default_str()
      ->group(group);
  app.add_option("--downstream", dataset.downstream, "Context after the bin")
      ->type_name("BP")
      ->capture_default_str()
      ->group(group);
  app.add_option("--max-n-fraction", dataset.max_n_fraction,
                 "Bins whose context has a larger share of N are left out")
      ->check(between(0.0, 1.0))
      ->capture_default_str()
      ->group(group);
  app.add_option("--exclude", dataset.exclude, "Regions to leave out (a blacklist)")
      ->type_name("BED")
      ->group(group);
  app.add_option("--contigs", dataset.contigs, "Contigs used: primary, all or a regular expression")
      ->capture_default_str()
      ->group(group);
  add_invalid_bases(app, dataset.invalid_bases);
  split.define(app);
  for (const char* name : {"--peaks", "--keep", "--negatives", "--max-bins", "--max-n-fraction", "--exclude",
                           "--test", "--validation", "--split-like", "--split-block", "--split-gap"})
    deepsea->excludes(app.get_option(name));
  common.define(app);
  common.define_seed(app);
  app.parse_complete_callback([peaks, deepsea] {
    if (peaks->count() + deepsea->count() == 0) throw UsageError("give --peaks TSV or --deepsea DIR");
  });
}

}  // namespace bigdna::apps
