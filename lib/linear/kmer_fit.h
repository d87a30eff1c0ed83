/// Fits regressions on k-mer frequencies to training rows: logistic, multinomial, Poisson or ridge, by the type of the
/// labels. They are a component of a fine-tuned model, and the baseline that every model is compared with.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <span>
#include <string>
#include <vector>

#include "linear/kernel_fit.h"
#include "rows/task_rows.h"
#include "models/kmer_model.h"

namespace bigdna::linear {

/// Training rows that linear models beside an encoder are fitted to: a sample (TaskRows::of()) of 20 000 where there
/// are more.
std::vector<int64_t> fitted_rows(const rows::TaskRows& data);

struct FittedKmers {
  models::KmerModel model;  // the weight of the encoder is 0
  // For the sample as given and, where training reads it, its reverse complements:
  std::vector<at::Tensor> out_of_fold;  // float [rows, labels]: logits, each by models that saw nothing of its fold
  std::vector<at::Tensor> values;       // float [rows, columns]: KmerCounts::values()
};

/// The k-mers that are counted for the rows' intervals (models::KmerCounts::of_interval()), by the task; of one
/// strand where labels are of strands.
models::KmerCounts kmer_counts(const rows::TaskRows& data);
/// KmerCounts::values() of rows, or of their reverse complements: float [rows, columns].
at::Tensor kmer_values(const rows::TaskRows& data, const std::vector<int64_t>& rows, const models::KmerCounts& counts,
                       bool reverse, int threads);
/// The single bases of the same windows: around a bin, what GC content tells.
models::KmerCounts base_counts(const rows::TaskRows& data);
/// fit_linear() on those k-mers, on the sample's folds of 1-Mb blocks. `reversed`: training reads reverse complements,
/// too, and so does the fit, with the labels of strands exchanged and in the fold of the row; not where both readings
/// have the same k-mers, as around a bin without labels of strands.
FittedKmers fit_kmers(const rows::TaskRows& data, int threads, bool reversed = false);

/// fit_linear() on k-mers alone, which networks are compared with: of all training rows, or of as many as fit into
/// about a gigabyte: those of rare labels, and a sample of the others, which has their weight (TaskRows::weighted()).
/// `counts`: what is counted; `reversed`: as fit_kmers().
struct KmersAlone {
  models::KmerModel model;
  int64_t rows = 0;  // the fewest that labels were fitted to
  // Where all labels are fitted to the same rows: these, and float [rows, labels], the logits of each by models that
  // saw nothing of its fold; of two readings their mean.
  std::vector<int64_t> fitted = {};
  at::Tensor out_of_fold = {};
};
KmersAlone fit_kmers_alone(const rows::TaskRows& data, const models::KmerCounts& counts, int threads, bool reversed);

/// The k-mers beside an encoder that is fine-tuned.
struct StackedKmers {
  models::KmerModel model;
  /// [rows of the sample, labels]: what the encoder's logits are added to in training, as FittedKmers::out_of_fold.
  std::vector<std::vector<float>> out_of_fold;
  // Of encoder and kernel model, by group of features.
  std::map<std::string, double> encoder_weights, kernel_weights;

  /// `encoder`: out-of-fold logits of the head that training starts from, on which fit_stack() chooses its weight;
  /// undefined where the head starts from zero, which gives it weight 1. `kernel`: null, or a fit whose weight beside
  /// both is chosen in the same way; where all of its weights are 0, the model has no kernel model. `weights`: of
  /// labels 1 in the loss, which the head counts in its bias. out_of_fold is then that of k-mers and kernel model
  /// together.
  StackedKmers(const rows::TaskRows& data, const FittedKmers& kmers, const at::Tensor& encoder, const KernelFit* kernel,
               std::span<const double> weights);
  std::span<const float> row(int64_t place, bool reversed) const {
    return std::span(out_of_fold.at(reversed)).subspan(static_cast<size_t>(place) * model.labels(), model.labels());
  }
  /// As bytes (MessagePack), for the other ranks and for resuming. Error where they are damaged.
  explicit StackedKmers(const std::string& bytes);
  std::string bytes() const;
};

}  // namespace bigdna::linear
