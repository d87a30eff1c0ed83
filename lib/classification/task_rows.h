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
#include "genome/fasta.h"

namespace bigdna::classification {

struct TaskRows {
  std::string task;  // "promoter" or "chromatin": the head's name
  std::string folder;
  std::vector<dataset::Feature> features;  // one for promoters
  std::vector<genome::Region> regions;     // what of the genome each row lies on
  std::vector<dataset::Split> splits;
  int64_t upstream = 0, downstream = 0;  // bp, of the start site or the bin
  bool both_strands = false;             // the task has no strand
  /// Where the start site, or the bin's middle, lies in the bases: a fraction of their length.
  double anchor() const;
  std::function<std::string(int64_t row)> bases;            // thread-safe
  std::function<bool(int64_t row, int64_t feature)> label;  // thread-safe
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
  /// float [rows, labels] of 0 and 1
  at::Tensor label_matrix(const std::vector<int64_t>& rows) const;
  /// How many of the rows overlap the intervals: what a model has been trained on.
  int64_t count_on(const genome::IntervalSet& intervals, const std::vector<int64_t>& rows) const;
  /// Blocks of 1 Mb for the bootstrap.
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

}  // namespace bigdna::classification
