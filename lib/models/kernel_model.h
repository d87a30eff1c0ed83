/// A kernel model: a part of a fine-tuned model's logits that is no linear function of the k-mers' frequencies and of
/// what the encoder's head reads, nor a sum of functions of one number each.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>

namespace bigdna::models {

struct KernelModel {
  /// One kind of input, compared with that of some training rows, the landmarks.
  struct Input {
    at::Tensor mean;       // float [columns], of the landmarks
    at::Tensor axes;       // float [axes, columns]: their principal axes, for columns less the mean
    at::Tensor landmarks;  // float [landmarks, axes]: the landmarks in these axes
    /// A Gaussian kernel: exp(-squared distance to each landmark), [rows, landmarks], of x [rows, columns].
    at::Tensor similarity(const at::Tensor& x) const;
  };
  Input kmers, states;
  at::Tensor weight;  // float [labels, landmarks]
  at::Tensor bias;    // float [labels]
  // Its place in a sum, float [labels]: scale x logits() + shift.
  at::Tensor scale, shift;

  /// The mean of the similarities of both inputs, [rows, landmarks].
  at::Tensor similarity(const at::Tensor& of_kmers, const at::Tensor& of_states) const;
  /// bias + weight x similarity, [rows, labels]; differentiable. `of_kmers`, float [rows, columns]:
  /// KmerCounts::values(). `of_states`, float [rows, pooled size]: session::Session::pooled().
  at::Tensor logits(const at::Tensor& of_kmers, const at::Tensor& of_states) const;
  /// What logits() add to the sum.
  at::Tensor in_sum(const at::Tensor& logits) const;

  /// All arrays, contiguous, under the names that they have in a file ("kernel.weight" ...).
  std::map<std::string, at::Tensor> arrays() const;
  /// From such arrays. Error, which begins with `path`, if one is missing or their shapes disagree with each other,
  /// with the number of labels or with the k-mers' columns.
  static KernelModel of(const std::string& path, const std::map<std::string, at::Tensor>& arrays, int64_t labels,
                        int64_t kmer_columns);
};

}  // namespace bigdna::models
