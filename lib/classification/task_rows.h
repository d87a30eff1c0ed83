/// A dataset as classifiers see it: rows with bases, labels and a split, whatever the task.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataset/chromatin_dataset.h"
#include "dataset/promoter_dataset.h"
#include "dataset/table_dataset.h"
#include "genome/fasta.h"
#include "session/answers.h"

namespace bigdna::classification {

struct TaskRows {
  std::string task;  // "promoter", "chromatin" or "table": the head's name
  dataset::LabelType type = dataset::LabelType::binary;
  std::string folder;
  std::vector<dataset::Feature> features;  // what is predicted: one for promoters, one for each class
  std::vector<genome::Region> regions;     // what of the genome each row lies on
  std::vector<dataset::Split> splits;
  int64_t upstream = 0, downstream = 0;  // bp, of the start site or the bin
  bool both_strands = false;             // the task has no strand
  /// Where the start site, or the bin's middle, lies in the bases: a fraction of their length.
  double anchor() const;
  std::function<std::string(int64_t row)> bases;            // thread-safe
  /// 0 or 1 (classes: 1 for the row's own), or a number, NaN where it is missing. Thread-safe.
  std::function<float(int64_t row, int64_t feature)> label;
  std::vector<double> mean, scale;  // regression: of each feature's training rows, mean and standard deviation
  std::vector<int64_t> units;       // of each row: what is resampled as a whole; empty: 1 Mb of the genome
  std::vector<std::string> negatives;                       // promoters: their kinds
  std::vector<uint8_t> cpg;  // promoters: 1 for CpG promoters and their negatives; empty where it is not known

  int64_t size() const { return static_cast<int64_t>(regions.size()); }
  int64_t labels() const { return static_cast<int64_t>(features.size()); }
  /// Rows of a split, in file order. Where there are more than `most` (0: all), a random sample of that many, stratified by
  /// label (with several labels: by the rarest that a row has), so that both classes are in it as often as in the split. The
  /// same rows whatever --seed, so that runs on one dataset compare.
  std::vector<int64_t> of(dataset::Split split, int64_t most = 0) const;
  std::vector<uint8_t> labels_of(const std::vector<int64_t>& rows, int64_t feature) const;
  std::vector<std::string> bases_of(const std::vector<int64_t>& rows) const;
  /// What a head is trained on: the label; regression: standardised by the training rows.
  float target(int64_t row, int64_t feature) const;
  /// What becomes of logits: sigmoid, softmax or linear, with these weights of labels 1, or of classes, in the loss.
  session::Answers answers(std::vector<double> weights) const;
  /// target(): float [rows, labels]
  at::Tensor label_matrix(const std::vector<int64_t>& rows) const;
  /// How many of the rows overlap the intervals: what a model has been trained on.
  int64_t count_on(const genome::IntervalSet& intervals, const std::vector<int64_t>& rows) const;
  /// Blocks for the bootstrap and for folds: 1 Mb of the genome, or units.
  std::vector<int64_t> blocks_of(const std::vector<int64_t>& rows) const;
  /// Folds of whole blocks, five where there are as many, numbered from 0 and about as large as each other; of single rows
  /// where all lie in one block.
  std::vector<int64_t> folds_of(const std::vector<int64_t>& rows) const;

 private:
  std::vector<int64_t> sample(std::vector<int64_t> rows, int64_t most) const;
};

/// Of both: Error where a split that has rows has them of one class alone, in all features.
TaskRows promoter_rows(const std::string& dataset_folder);
/// `genome`: the FASTA, "" for the one the dataset remembers; `upstream`, `downstream`: the context, -1 for
/// the dataset's. Error where the genome lacks a contig of the dataset, or has it shorter.
TaskRows chromatin_rows(const std::string& dataset_folder, const std::string& genome, int64_t upstream = -1,
                        int64_t downstream = -1);
/// A dataset of bigdna dataset table. A bootstrap resamples whole groups, or else blocks of the genome, or else rows. Error where
/// the training rows have nothing to tell apart.
TaskRows table_rows(const std::string& dataset_folder);

}  // namespace bigdna::classification
