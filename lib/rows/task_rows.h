/// A dataset as classifiers use it: rows with bases, labels and a split, for any task.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dataset/chromatin_dataset.h"
#include "dataset/promoter_dataset.h"
#include "dataset/table_dataset.h"
#include "dataset/task.h"
#include "genome/fasta.h"
#include "model_folder/training_sequences.h"
#include "models/link.h"

namespace bigdna::rows {

/// Whether labels of this type are 0 and 1, each with a logit of its own.
inline bool is_binary(dataset::LabelType type) {
  return type == dataset::LabelType::binary || type == dataset::LabelType::multilabel;
}

struct TaskRows {
  const dataset::Task* task = nullptr;
  dataset::LabelType type = dataset::LabelType::binary;  // of bins multilabel, but see type_of()
  std::string folder;
  std::vector<dataset::Feature> features;  // what is predicted: one for promoters, one for each class
  std::vector<genome::Region> regions;     // the interval of each row
  std::vector<genome::Contig> contigs;     // on which they lie, with their lengths
  std::vector<dataset::Split> splits;
  int64_t bin = dataset::kBin;           // bp, of bins
  int64_t upstream = 0, downstream = 0;  // bp beside the start site or the bin
  /// The position of the start site, or of the bin's middle, in the bases, as a fraction of their length.
  double anchor() const;
  std::function<std::string(int64_t row)> bases;  // thread-safe
  /// The bases of any region of the genome, N past a contig's ends; thread-safe. Empty without a genome.
  std::function<std::string(const genome::Region&)> sequence;
  std::function<std::string(int64_t row)> name;  // in regions.bed.gz
  /// 0 or 1 (classes: 1 for the row's class), a count, or a number, NaN if it is missing: a number, or what the row's
  /// dataset lacks where several are joined. Thread-safe.
  std::function<float(int64_t row, int64_t feature)> label;
  /// Of a count, what of it one half of the reads gives; NaN where that is not known, empty without counts.
  std::function<float(int64_t row, int64_t feature)> half;
  std::vector<double> mean, scale;  // regression: of each feature's training rows, mean and standard deviation
  std::vector<int64_t> units;       // the unit of each row, which is resampled as a whole; empty: 1 Mb of the genome
  std::string resampled = "blocks of the genome";  // what the units are, for those who read intervals
  std::vector<std::string> negatives;              // promoters: their kinds
  /// Whether rows were chosen by their labels, which are then more frequent than in the genome: promoters and their
  /// negatives, bins that have a label.
  bool chosen_by_label = false;
  /// One of several datasets (rows/joined_rows.h): its rows, from `first` on, and which feature each of its own is.
  struct Part {
    std::shared_ptr<const TaskRows> rows;
    int64_t first;
    std::vector<int64_t> features;
  };
  std::vector<Part> parts;   // empty: one dataset
  std::vector<uint8_t> cpg;  // promoters: 1 for CpG promoters and their negatives; empty if unknown

  /// Whether labels have no strand, so that a sequence and its reverse complement have the same.
  bool both_strands() const { return task->site == dataset::Task::Site::bin; }
  int64_t size() const { return static_cast<int64_t>(regions.size()); }
  int64_t labels() const { return static_cast<int64_t>(features.size()); }
  /// Of a feature's labels: those of bins are labels or counts, by its kind.
  dataset::LabelType type_of(size_t feature) const;
  /// The features by the types of their labels, in their order.
  struct OfType {
    dataset::LabelType type;
    std::vector<int64_t> features;
  };
  std::vector<OfType> by_type() const;
  /// Leaves out the other features.
  void keep_features(const std::vector<int64_t>& kept);
  /// Whether probabilities of a feature are called from a threshold on: promoters, and start sites of bins.
  bool is_called(size_t feature) const {
    return task->calls ||
           (features[feature].group == dataset::kStartSites && type_of(feature) != dataset::LabelType::counts);
  }
  /// These features.
  std::vector<size_t> called() const;
  std::vector<std::string> groups() const;                                     // of each feature
  std::vector<std::string> groups_of(const std::vector<int64_t>& some) const;  // of these features
  /// Rows of a split, in file order. If there are more than `most` (0: all), a random sample of that size, stratified
  /// by label (with several labels, by the rarest that a row has; not by numbers), so that both classes are as frequent
  /// as in the split. The sample does not depend on --seed, so that runs on the same dataset can be compared.
  std::vector<int64_t> of(dataset::Split split, int64_t most = 0) const;
  /// Rows of a split, in file order, each with how many it stands for. If there are more than `most`, a random sample
  /// in which each label (the rarest that a row has, or none) has an equal share, or all of its rows.
  struct Weighted {
    std::vector<int64_t> rows;
    std::vector<float> weights;
  };
  Weighted weighted(dataset::Split split, int64_t most) const;
  std::vector<uint8_t> labels_of(const std::vector<int64_t>& rows, int64_t feature) const;
  /// Places in `rows` of those whose label of a feature is known.
  std::vector<int64_t> known_of(const std::vector<int64_t>& rows, int64_t feature) const;
  /// These features by the rows in which they are known: features of which the same of `rows` are known are together.
  struct OfKnown {
    std::vector<int64_t> features, places;  // places: in `rows`
  };
  std::vector<OfKnown> by_known(const std::vector<int64_t>& rows, const std::vector<int64_t>& some) const;
  std::vector<std::string> bases_of(const std::vector<int64_t>& rows) const;
  /// The target of a head: the label; for regression, standardised by the training rows.
  float target(int64_t row, int64_t feature) const;
  /// How logits become predictions: sigmoid, softmax, linear or exponential, with these weights of labels 1, or of
  /// classes, in the loss.
  models::Link link(std::vector<double> weights) const;
  /// target() as float [rows, labels].
  at::Tensor label_matrix(const std::vector<int64_t>& rows) const;
  /// Adds what a model of these rows records, beside its task, for those who read it: the interval, the type of the
  /// labels, how logits become predictions, the threshold where outputs are called, the kinds of negatives, the lengths
  /// of a table's training rows.
  void describe(const models::Link& link, double threshold, nlohmann::ordered_json& details) const;
  /// Where the rows lie on the genome, with the lengths of its contigs; without those that lie nowhere. Of joined
  /// datasets, on the genome of each, under the contigs' own names.
  genome::IntervalSet intervals_of(const std::vector<int64_t>& rows) const;
  /// The sequences of the rows; none of bins, which are known by where they lie.
  model_folder::TrainingSequences sequences_of(const std::vector<int64_t>& rows) const;
  /// How many of the rows a model has read in training: those that overlap its intervals, if these are of the same
  /// assembly, or, but for bins, whose sequence is among its sequences.
  int64_t count_seen(const genome::IntervalSet& intervals, const model_folder::TrainingSequences& sequences,
                     const std::vector<int64_t>& rows) const;
  /// Blocks for what is fitted: units, or 1 Mb of the genome.
  std::vector<int64_t> megabases_of(const std::vector<int64_t>& rows) const;
  /// Blocks for the bootstrap: units, or stretches of the genome of 1 Mb, which is halved, down to about 30 kb, while
  /// there are fewer than ten.
  std::vector<int64_t> blocks_of(const std::vector<int64_t>& rows) const;
  /// Warns if there are fewer than ten blocks, because intervals are then too narrow.
  void warn_of_few(const std::vector<int64_t>& blocks) const;
  /// Folds of whole blocks (megabases_of()), numbered from 0 and of about equal size: five, or fewer if there are fewer
  /// blocks. Of single rows if all are in one block.
  std::vector<int64_t> folds_of(const std::vector<int64_t>& rows) const;

 private:
  /// Those of the rows that belong to a part, as its own rows.
  std::vector<int64_t> rows_of_part(size_t number, const std::vector<int64_t>& some) const;
  /// The rows, in random order, by the rarest of their labels (-1: a row has none); for numbers all in one.
  std::map<int64_t, std::vector<int64_t>> strata_of(const std::vector<int64_t>& rows) const;
  std::vector<int64_t> sample(std::vector<int64_t> rows, int64_t most) const;
  /// The block of each row, numbered from 0.
  std::vector<int64_t> blocks_of_size(const std::vector<int64_t>& rows, int64_t bases) const;
};

/// The same blocks, or each row in a block of its own if all lie in one block, as in very small data.
std::vector<int64_t> several_blocks(std::vector<int64_t> blocks);

/// Warns where a model that training starts from has been trained on rows of the test split, or on another assembly.
void warn_of_leakage(const model_folder::ModelFolder& model, const TaskRows& data);

}  // namespace bigdna::rows
