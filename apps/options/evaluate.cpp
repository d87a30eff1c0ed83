#include "apps/options/evaluate.h"

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "apps/options/run_options.h"
#include "apps/options/task_options.h"

namespace bigdna::apps {

void EvaluateOptions::visit(OptionList& visit) {
  visit(model, "model", "Model of bigdna train or finetune: a folder, a run or a name (bigdna info --models)")
      .model()
      .required();
  visit(dataset, "dataset", "Dataset folder of bigdna dataset, which determines the task").required().type("DATASET");
  visit(split, "--split", "Examples to evaluate on").one_of({"train", "validation", "test"});
  visit_strands(visit, strands);
  visit_ensemble(visit, ensemble);
  visit["--ensemble"].tag(kLabelOptions);
  visit(compare, "--compare",
        "Also evaluate this model on the same examples, and report the paired difference with its confidence interval")
      .model()
      .repeatable()
      .tag(kLabelOptions);
  visit(no_baseline, "--no-baseline",
        "Skip the baselines: k-mers fitted to the same training examples, the terms of the model alone, and a constant "
        "(tables)");
  visit(refit_kmers, "--refit-kmers",
        "Also fit k-mers to this dataset's training examples (kmers-refit). They show how predictable the labels are "
        "if the model was trained on another dataset")
      .tag(kLabelOptions);
  visit(resamples, "--resamples", "Number of bootstrap resamples").check(not_negative());
  visit.group("Output");
  visit(json, "--json", "Also write everything as JSON").type("FILE").writes({io::Format::json});
  visit(scores, "--scores", "Write the labels and probabilities of every example (TSV; BGZF if the name ends in .gz)")
      .type("FILE")
      .writes({io::Format::tsv, io::Format::bed})
      .tag(kLabelOptions);
  visit(
      report, "--report",
      "Write a folder that bigdna report draws: metrics.tsv and .json, the scores, tables of the features and tracks, "
      "and pictures of one label (roc.svg, pr.svg, calibration.svg). It has custom content for MultiQC (*_mqc.json)")
      .type("DIR")
      .not_decisive();
  common.visit_header(visit);
  visit.group(kOutputOptions);
  visit(features, "--features",
        "Write a table of each output (TSV). Chromatin: index, name, cell, assay, group, strand, rows, positives, "
        "prevalence, AUROC and AUPRC of each method, and the paired differences in AUROC with their intervals. Tables: "
        "index, name, method, split, metric, value")
      .type("FILE")
      .writes({io::Format::tsv});
  visit.group(kChromatinOptions);
  visit(picture, "--picture", "Draw each feature's AUROC against its prevalence and against the other methods' (SVG)")
      .type("FILE")
      .writes({io::Format::svg});
  visit.group(kGenomeOptions);
  visit(genome, "-g,--genome", "Genome (default: the one the dataset was made from)").type("FASTA");
  visit_device(visit, run);
  common.visit_with_seed(visit);
}

void EvaluateOptions::finish(const OptionList& list) { task = task_of_dataset(list, dataset).name; }

std::string EvaluateOptions::details() {
  return R"(bigdna evaluate mlm is another command: it scores masked tokens. (A model folder of that name is ./mlm.)
Methods: bigdna; kmers: fitted to the same training examples as the model; network, encoder, kernel: a term of
the model alone; for tables constant: the same prediction for every example; kmers-refit (--refit-kmers) and
for chromatin kmers-refit-bin, which sees the bin alone; the names of --compare; bigdna-kmers and so on: the
paired difference. Each was calibrated, and its threshold chosen, on the validation examples of its training.
Promoters and tables: columns #method, split, metric, value, low and high (95 % interval from a bootstrap over
groups, 1-Mb blocks of the genome, or examples; NA if there is none). Metrics of promoters: rows, positives,
threshold, true_positives ... false_negatives, f1, precision, recall, mcc, accuracy, auroc, auprc,
calibration_error, brier; the same with cpg_ and non_cpg_ for CpG and other promoters. Metrics of tables by
label type: binary: rows, positives, accuracy, f1, f1_macro, mcc (called from 0.5 on), auroc, auprc; classes:
rows, accuracy, f1_macro, mcc (of the most likely class), auroc, auprc (each class against the rest, mean);
multilabel: rows, f1_macro, f1_micro, auroc, auprc (means over labels); regression: rows, pearson, spearman,
r2 (means over the numbers), rmse (of one number); counts: rows, the metrics of tracks (means over outputs).
Chromatin: columns #group, method, split, features, scored (features with both classes), auroc_median,
auroc_mean, auprc_median, auprc_mean, and low and high of the 95 % intervals of the two AUROCs (paired
bootstrap over blocks of the genome).
Tracks: a second table (the only one if the dataset has tracks only), with columns #index, name, cell, assay,
group, strand, bins (all, or labelled: with a peak), rows, method, split, metric, value, low and high.
Metrics: pearson_log1p (of log(1 + count)), pearson, spearman, r2_log1p, deviance_explained (Poisson),
total_ratio (expected / observed). Methods: also gc and constant with --refit-kmers, and halves: one half of
the reads compared with the other, which no model exceeds by much.
Profiles: columns #regions (peak, background, tile or all), method, split, rows, metric, value, low and high.
Metrics: jsd_median and jsd_mean, the Jensen-Shannon distance of the observed and the expected profile (0 to
1, smaller is better), and of the number of reads the metrics of tracks. Methods: bigdna; bias, the bias model
alone; mean, the mean profile and count of the training regions; shuffled, the observed profile in random
order; halves; gc and kmers, fitted to the training regions.)";
}

}  // namespace bigdna::apps
