/// Fits regressions on k-mer frequencies to training rows: logistic, multinomial, Poisson or ridge, by the type of the
/// labels. They are a term of the models of bigdna train, and the baseline that every model is compared with.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "rows/task_rows.h"
#include "models/kmer_model.h"

namespace bigdna::linear {

/// Training rows that heads of encoders and kernel models are fitted to: a sample (TaskRows::of()) of 20 000 where
/// there are more.
std::vector<int64_t> fitted_rows(const rows::TaskRows& data);

/// The k-mers that are counted for the rows' intervals (models::KmerCounts::of_interval()), by the task; of one
/// strand where labels are of strands.
models::KmerCounts kmer_counts(const rows::TaskRows& data);
/// KmerCounts::values() of rows, or of their reverse complements: float [rows, columns].
at::Tensor kmer_values(const rows::TaskRows& data, const std::vector<int64_t>& rows, const models::KmerCounts& counts,
                       bool reverse, int threads);
/// The single bases of the same windows: around a bin, what GC content tells.
models::KmerCounts base_counts(const rows::TaskRows& data);
struct FittedKmers {
  models::KmerModel model;
  int64_t rows = 0;  // the fewest that labels were fitted to
  // Where all labels are fitted to the same rows: these, and float [rows, labels], the logits of each by models that
  // saw nothing of its fold; of two readings their mean.
  std::vector<int64_t> fitted = {};
  at::Tensor out_of_fold = {};
};
/// fit_linear() on k-mers: of all training rows, or of as many as fit into
/// about a gigabyte: those of rare labels, and a sample of the others, which has their weight (TaskRows::weighted()).
/// `counts`: what is counted. `reversed`: training reads reverse complements, too, and so does the fit, with the labels
/// of strands exchanged and in the fold of the row; not where both readings have the same k-mers, as around a bin
/// without labels of strands.
FittedKmers fit_kmers(const rows::TaskRows& data, const models::KmerCounts& counts, int threads, bool reversed);

}  // namespace bigdna::linear
