#include "apps/options/evaluate_task.h"

#include "apps/options/checks.h"
#include "apps/options/run_options.h"

namespace bigdna::apps {

void EvaluateTaskOptions::define_shared(CLI::App& app) {
  app.add_option("model", model, "Fine-tuned model (or run folder)")->required()->type_name("MODEL");
  app.add_option("dataset", dataset, "Dataset folder of bigdna dataset " + task)
      ->required()
      ->type_name("DATASET");
  app.add_option("--split", split, "Which rows")
      ->check(CLI::IsMember({"train", "validation", "test"}))
      ->capture_default_str();
  app.add_option("--json", json, "Write everything as JSON too")->type_name("FILE");
  app.add_option("--scores", scores, "Write labels and probabilities of every row (TSV; .gz for BGZF)")
      ->type_name("FILE");
  app.add_flag("--no-baseline", no_baseline, "Leave out the k-mer logistic regression on the same splits");
  app.add_option("--resamples", resamples, "Of the bootstrap")
      ->check(not_negative())
      ->capture_default_str();
  add_strands(app, strands, false);
  add_ensemble(app, ensemble);
  app.add_option("--compare", compare,
                 "Another model (may be given again), evaluated on the same rows as it reads them, and the difference to it "
                 "with its interval")
      ->type_name("MODEL")
      ->allow_extra_args(false);
  device.define(app);
  common.define(app);
  common.define_seed(app);
}

void EvaluatePromoterOptions::define(CLI::App& app) {
  task = "promoter";
  define_shared(app);
  app.add_option(
         "--report", report,
         "Write metrics.tsv and .json, the reliability table calibration.tsv, pictures (roc.svg, pr.svg, "
         "calibration.svg) and MultiQC's custom content (*_mqc.json) into this folder")
      ->type_name("DIR");
  app.footer(
      "Columns: #method (bigdna, kmers, the names of --compare; bigdna-kmers and so on: the paired difference), split, metric (rows, positives, threshold, true_positives ... "
      "false_negatives, f1, precision, recall,\nmcc, accuracy, auroc, auprc, calibration_error, brier; the "
      "same with "
      "cpg_ and non_cpg_ for CpG and other promoters), value,\n"
      "low and high (95 % interval, bootstrap over 1-Mb blocks of the genome; NA where there is none). "
      "Thresholds were chosen on validation.");
}

void EvaluateChromatinOptions::define(CLI::App& app) {
  task = "chromatin";
  define_shared(app);
  app.add_option("-g,--genome", genome, "Genome (default: the one the dataset was made from)")
      ->type_name("FASTA");
  app.add_option("--features", features,
                 "Write a row for each feature: index, name, cell, assay, group, rows, positives, "
                 "prevalence, AUROC and "
                 "AUPRC by each method, and the paired differences in AUROC with their intervals (TSV)")
      ->type_name("FILE");
  app.add_option("--picture", picture,
                 "Draw each feature's AUROC beside its prevalence and against the other methods' (SVG)")
      ->type_name("FILE");
  app.footer(
      "Columns: #group, method (bigdna, kmers, the names of --compare; bigdna-kmers and so on: the "
      "difference), split, "
      "features, scored (those with\n"
      "both classes), auroc_median, auroc_mean, auprc_median, auprc_mean, and low and high of the 95 % "
      "intervals of the "
      "two AUROCs (paired bootstrap\n"
      "over blocks of the genome).");
}

}  // namespace bigdna::apps
