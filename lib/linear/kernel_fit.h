/// Fits the kernel model beside k-mers and encoder.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "dataset/labels.h"
#include "models/kernel_model.h"

namespace bigdna::linear {

/// What the kernel compares of the rows, float [rows, columns], as KernelModel::logits() has it.
struct KernelRows {
  at::Tensor kmers, states;
};

struct KernelFit {
  models::KernelModel model;  // fitted to all rows
  // Float [rows, labels] for each reading of the rows: by models that were fitted without the row's fold.
  std::vector<at::Tensor> out_of_fold;
};

/// Linear models (fit_linear(), by the type of the labels) on features whose products are the kernel (Nystroem's
/// approximation: Williams and Seeger, NIPS 2000). Landmarks are rows drawn by the seed, all if they are few.
/// `readings`: the rows that are fitted and, if there are more, the same rows read in another way. `y` and `folds`: as
/// fit_linear().
KernelFit fit_kernel(const std::vector<KernelRows>& readings, const at::Tensor& y, std::span<const int64_t> folds,
                     dataset::LabelType type, uint64_t seed, int threads);

}  // namespace bigdna::linear
