/// Activations are [positions, filters]: a dilated convolution is three products of shifted rows with no copy of them.
#include "profile/network.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/finite.h"
#include "genome/alphabet.h"

namespace bigdna::profile {

using model_folder::ProfileHalf;

namespace {

model::Parameters load(const model_folder::ProfileConfig& config, const std::string& path) {
  auto arrays = model::load_arrays(path);
  std::string wrong;
  const auto shapes = parameter_shapes(config);
  for (const auto& [name, shape] : shapes)
    if (const auto found = arrays.find(name); found == arrays.end() || found->second.sizes().vec() != shape)
      wrong += " " + name;
  for (const auto& [name, value] : arrays)
    if (!shapes.contains(name)) wrong += " " + name;
  if (!wrong.empty())
    fail(path, ": these arrays are missing, not expected or of another shape than config.json says:", wrong);
  return arrays;
}

/// [length, 4]; rows of zeros for letters that are no base.
at::Tensor one_hot(std::string_view bases) {
  at::Tensor letters = at::zeros({std::ssize(bases), 4});
  float* row = letters.mutable_data_ptr<float>();
  for (const char base : bases) {
    if (const auto code = std::string_view("ACGT").find(base); code != std::string_view::npos) row[code] = 1;
    row += 4;
  }
  return letters;
}

double log_add(double a, double b) { return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b))); }

}  // namespace

Network::Network(const model_folder::ProfileFolder& folder, const session::Placement& placement)
    : Network(folder.config, load(folder.config, folder.weights_path()), placement, folder.path) {}

Network::Network(const model_folder::ProfileConfig& config, const model::Parameters& parameters,
                 const session::Placement& placement, std::string path)
    : config_(config), placement_(placement), path_(std::move(path)) {
  c10::NoGradGuard no_grad;
  for (const auto& shape : config_.halves) halves_.push_back(half_of(shape, parameters));
}

Network::Half Network::half_of(const ProfileHalf& shape, const model::Parameters& parameters) const {
  const auto own = [&](const std::string& name) { return parameters.at(shape.name + "." + name); };
  const auto there = [&](const at::Tensor& tensor) { return tensor.contiguous().to(placement_.device); };
  Half half;
  half.shape = shape;
  half.first = there(own("first.weight").permute({2, 1, 0}).reshape({4 * ProfileHalf::kFirstWidth, shape.filters}));
  half.first_bias = there(own("first.bias"));
  for (int64_t i = 0; i < shape.layers; ++i) {
    half.dilated.push_back(there(own(concat("dilated.", i, ".weight")).permute({2, 1, 0})));
    half.dilated_bias.push_back(there(own(concat("dilated.", i, ".bias"))));
  }
  const at::Tensor profile = own("profile.weight").permute({1, 0, 2});  // [inputs, strands, 75]
  const auto columns = [&](const at::Tensor& rows) {
    return there(rows.reshape({rows.size(0), rows.size(1) * rows.size(2)}));
  };
  half.profile = columns(profile.narrow(0, 0, shape.filters));
  half.profile_controls = columns(profile.narrow(0, shape.filters, config_.controls));
  half.profile_bias = there(own("profile.bias").unsqueeze(1));
  const at::Tensor count = own("count.weight").select(0, 0);
  half.count = there(count.narrow(0, 0, shape.filters));
  half.count_bias = own("count.bias").item<double>();
  if (config_.controls > 0) half.count_controls = count.select(0, shape.filters).item<double>();
  return half;
}

Prediction Network::run(const Half& half, const at::Tensor& letters, const at::Tensor& controls) const {
  constexpr int64_t kFirst = ProfileHalf::kFirstWidth, kWide = ProfileHalf::kProfileWidth;
  const int64_t windows = letters.size(0) - (kFirst - 1);
  at::Tensor x = at::addmm(half.first_bias, letters.as_strided({windows, 4 * kFirst}, {4, 1}), half.first).relu_();
  for (int64_t i = 0; i < half.shape.layers; ++i) {
    const int64_t dilation = half.shape.dilation(i), rows = x.size(0) - 2 * dilation;
    const auto& weight = half.dilated[static_cast<size_t>(i)];
    at::Tensor next = at::addmm(half.dilated_bias[static_cast<size_t>(i)], x.narrow(0, 0, rows), weight.select(0, 0));
    next.addmm_(x.narrow(0, dilation, rows), weight.select(0, 1));
    next.addmm_(x.narrow(0, 2 * dilation, rows), weight.select(0, 2));
    x = next.relu_().add_(x.narrow(0, dilation, rows));
  }
  const int64_t positions = x.size(0), read = config_.output + kWide - 1, columns = half.profile.size(1);
  const at::Tensor middle = x.narrow(0, (positions - read) / 2, read);
  const at::Tensor counted = x.narrow(0, (positions - half.shape.averaged) / 2, half.shape.averaged);
  at::Tensor taps = at::matmul(middle, half.profile);  // what each position adds to the base under each of the 75 taps
  double log_counts = counted.mean(0).dot(half.count).item<double>() + half.count_bias;
  if (controls.defined()) {
    const auto of_controls = [&](int64_t length) {
      return controls.narrow(0, (controls.size(0) - length) / 2, length);
    };
    taps.addmm_(of_controls(read), half.profile_controls);
    log_counts += half.count_controls * std::log1p(of_controls(half.shape.averaged).sum().item<double>());
  }
  const at::Tensor logits =
      taps.as_strided({config_.strands, config_.output, kWide}, {kWide, columns, columns + 1}).sum(2) +
      half.profile_bias;
  const at::Tensor numbers = logits.to(at::kCPU).contiguous();
  const float* const first = numbers.const_data_ptr<float>();
  Prediction result{{first, first + numbers.numel()}, log_counts};
  if (!all_finite(result.logits) || !std::isfinite(log_counts))
    fail(path_, ": the model's output is not a number: damaged weights");
  return result;
}

Prediction Network::predict(std::string_view bases, Part part, std::span<const float> controls) const {
  c10::NoGradGuard no_grad;
  const at::Tensor letters = one_hot(bases).to(placement_.device);
  at::Tensor tracks;
  if (!controls.empty())
    tracks = at::from_blob(const_cast<float*>(controls.data()), {config_.controls, config_.window})
                 .t()
                 .contiguous()
                 .to(placement_.device);
  Prediction sum;
  for (size_t i = 0; i < halves_.size(); ++i) {
    if (halves_.size() == 2 && part != Part::whole && (part == Part::bias) != (i == 1)) continue;
    const auto own = run(halves_[i], letters, tracks);
    if (sum.logits.empty()) {
      sum = own;
      continue;
    }
    for (size_t k = 0; k < own.logits.size(); ++k) sum.logits[k] += own.logits[k];
    sum.log_counts = log_add(sum.log_counts, own.log_counts);
  }
  return sum;
}

Prediction Network::predict(std::string_view bases, Part part, session::Strands strands) const {
  auto result = predict(bases, part);
  if (strands != session::Strands::average) return result;
  const auto other = predict(genome::reverse_complement(std::string(bases)), part);
  // the other reading's last base of its other strand is this one's first
  for (size_t k = 0; k < result.logits.size(); ++k)
    result.logits[k] = (result.logits[k] + other.logits[result.logits.size() - 1 - k]) / 2;
  result.log_counts = log_add(result.log_counts, other.log_counts) - std::log(2.0);
  return result;
}

std::vector<float> probabilities(std::span<const float> logits) {
  const float largest = *std::ranges::max_element(logits);
  std::vector<float> shares;
  double sum = 0;
  for (const float logit : logits) {
    shares.push_back(std::exp(logit - largest));
    sum += shares.back();
  }
  for (float& share : shares) share = static_cast<float>(share / sum);
  return shares;
}

}  // namespace bigdna::profile
