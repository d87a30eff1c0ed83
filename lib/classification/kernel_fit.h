/// Fits the kernel model beside k-mers and encoder.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

#include "dataset/labels.h"
#include "task_model/kernel_model.h"

namespace bigdna::classification {

struct KernelFit {
  task_model::KernelModel model;  // fitted to all rows
  at::Tensor out_of_fold;         // float [rows, labels]: by models that were fitted without the row's fold
};

/// Linear models (fit_linear(), by the type of the labels) on features whose products are the kernel (Nystroem's
/// approximation: Williams and Seeger, NIPS 2000). Landmarks are rows drawn by the seed, all if they are few.
/// `kmers`, `states`: float [rows, columns], as KernelModel::logits() has them; `y` and `folds`: as fit_linear().
KernelFit fit_kernel(const at::Tensor& kmers, const at::Tensor& states, const at::Tensor& y,
                     std::span<const int64_t> folds, dataset::LabelType type, uint64_t seed, int threads);

}  // namespace bigdna::classification
