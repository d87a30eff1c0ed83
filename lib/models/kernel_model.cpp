#include "models/kernel_model.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>

#include "base/error.h"

namespace bigdna::models {

at::Tensor KernelModel::Input::similarity(const at::Tensor& x) const {
  const at::Tensor places = (x - mean).matmul(axes.t());
  const at::Tensor distances =
      places.square().sum(1, true) + landmarks.square().sum(1) - 2 * places.matmul(landmarks.t());
  return distances.clamp_min(0).neg().exp();
}

at::Tensor KernelModel::similarity(const at::Tensor& of_kmers, const at::Tensor& of_states) const {
  return (kmers.similarity(of_kmers) + states.similarity(of_states)) / 2;
}

at::Tensor KernelModel::logits(const at::Tensor& of_kmers, const at::Tensor& of_states) const {
  return at::addmm(bias, similarity(of_kmers, of_states), weight.t());
}

at::Tensor KernelModel::in_sum(const at::Tensor& logits) const { return logits * scale + shift; }

std::map<std::string, at::Tensor> KernelModel::arrays() const {
  return {{"kernel.weight", weight},
          {"kernel.bias", bias},
          {"kernel.scale", scale},
          {"kernel.shift", shift},
          {"kernel.kmers.mean", kmers.mean},
          {"kernel.kmers.axes", kmers.axes},
          {"kernel.kmers.landmarks", kmers.landmarks},
          {"kernel.states.mean", states.mean},
          {"kernel.states.axes", states.axes},
          {"kernel.states.landmarks", states.landmarks}};
}

KernelModel KernelModel::of(const std::string& path, const std::map<std::string, at::Tensor>& arrays, int64_t labels,
                            int64_t kmer_columns) {
  const auto at = [&](const std::string& name) {
    const auto found = arrays.find(name);
    if (found == arrays.end()) fail(path, ": has no array ", name);
    return found->second;
  };
  const auto input = [&](const std::string& name) {
    return Input{at("kernel." + name + ".mean"), at("kernel." + name + ".axes"), at("kernel." + name + ".landmarks")};
  };
  KernelModel model{input("kmers"),    input("states"),    at("kernel.weight"),
                    at("kernel.bias"), at("kernel.scale"), at("kernel.shift")};
  const int64_t landmarks = model.weight.dim() == 2 ? model.weight.size(1) : 0;
  const auto fits = [&](const Input& of) {
    return of.mean.dim() == 1 && of.axes.dim() == 2 && of.landmarks.dim() == 2 && of.axes.size(1) == of.mean.size(0) &&
           of.landmarks.size(0) == landmarks && of.landmarks.size(1) == of.axes.size(0);
  };
  if (landmarks == 0 || model.weight.size(0) != labels || model.bias.numel() != labels ||
      model.scale.numel() != labels || model.shift.numel() != labels || !fits(model.kmers) || !fits(model.states) ||
      model.kmers.mean.size(0) != kmer_columns)
    fail(path, ": the shapes of its arrays disagree");
  return model;
}

}  // namespace bigdna::models
