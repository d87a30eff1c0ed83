/// The words of a model, which are also the baseline that stands beside it: logistic, multinomial or ridge regressions
/// (by the type of the labels) on counts of short words.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <span>
#include <string>
#include <vector>

#include "classification/evaluation.h"
#include "classification/kernel_fit.h"
#include "classification/task_rows.h"
#include "session/word_model.h"

namespace bigdna::classification {

/// Training rows that linear models are fitted to: a sample (TaskRows::of()) of 20 000 where there are more, of 5000
/// for classes, which take longer.
std::vector<int64_t> fitted_rows(const TaskRows& data);

struct FittedWords {
  session::WordModel model;   // the words alone: the encoder's share is 0
  at::Tensor out_of_fold;     // float [rows, labels]: logits of the sample, each by models that saw nothing of its fold
  at::Tensor values;          // float [rows, columns]: WordCounts::values() of the sample
};

/// The words that are counted for the rows' intervals (session::WordCounts::of_interval()), by the task.
session::WordCounts word_counts(const TaskRows& data);
/// fit_linear() on those words, on the sample's folds of 1-Mb blocks.
FittedWords fit_words(const TaskRows& data, int threads);

/// The words beside an encoder that is fine-tuned.
struct StackedWords {
  session::WordModel model;
  std::vector<float> out_of_fold;  // [rows of the sample, labels]: what the encoder's logits are added to in training
  std::map<std::string, double> shares, kernel_shares;  // the encoder's and the kernel's, of each group of features

  /// `encoder`: out-of-fold logits of the head that training starts from, by which its share is chosen (fit_stack());
  /// none (undefined) where it starts from zero: a share of 1. `kernel`: null, or a fit whose share beside the two is
  /// chosen likewise; without any, the model has no kernel machine. `weights`: of labels 1 in the loss, which the head
  /// counts in its bias. The logits out of fold are those of words and kernel together.
  StackedWords(const TaskRows& data, const FittedWords& words, const at::Tensor& encoder, const KernelFit* kernel,
               std::span<const double> weights);
  std::span<const float> row(int64_t place) const {
    return std::span(out_of_fold).subspan(static_cast<size_t>(place) * model.labels(), model.labels());
  }
  /// As bytes (MessagePack), for the other ranks and for resuming. Error where they are damaged.
  explicit StackedWords(const std::string& bytes);
  std::string bytes() const;
};

/// "kmers-refit": words fitted to these training rows, and calibrated and (promoters) given their threshold on these
/// validation rows. It shows what the rows hold, and is no baseline of a model that was trained on others. `data` must
/// outlive it.
Method refitted_kmers(const TaskRows& data, session::Strands strands, int threads);

/// The log-odds of each label among the training rows (with half a row more of either value), of classes the logarithms
/// of their shares; numbers: 0, which is their mean.
std::vector<double> training_odds(const TaskRows& data);

}  // namespace bigdna::classification
