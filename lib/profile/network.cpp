/// Activations are [positions, filters]: a dilated convolution is three products of shifted rows with no copy of them.
#include "profile/network.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/logaddexp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/finite.h"
#include "genome/alphabet.h"

namespace bigdna::profile {

using model_folder::ProfileHalf;

namespace {

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

ProfileNetwork::ProfileNetwork(const model_folder::ProfileFolder& folder, const session::Placement& placement)
    : ProfileNetwork(folder.config, model::load_arrays(folder.weights_path(), parameter_shapes(folder.config)),
                     placement, folder.path) {}

ProfileNetwork::ProfileNetwork(const model_folder::ProfileConfig& config, const model::Parameters& parameters,
                               const session::Placement& placement, std::string path)
    : config_(config), placement_(placement), path_(std::move(path)) {
  c10::NoGradGuard no_grad;
  for (const auto& shape : config_.halves) halves_.push_back(half_of(shape, parameters));
}

ProfileNetwork::Half ProfileNetwork::half_of(const ProfileHalf& shape, const model::Parameters& parameters) const {
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

/// A dilated convolution of rows [first, first + rows) of its output, and the residual. `x`: from row `first` on.
at::Tensor ProfileNetwork::dilated(const Half& half, int64_t layer, const at::Tensor& x, int64_t rows) {
  const int64_t dilation = half.shape.dilation(layer);
  const auto& weight = half.dilated[static_cast<size_t>(layer)];
  at::Tensor next = at::addmm(half.dilated_bias[static_cast<size_t>(layer)], x.narrow(0, 0, rows), weight.select(0, 0));
  next.addmm_(x.narrow(0, dilation, rows), weight.select(0, 1));
  next.addmm_(x.narrow(0, 2 * dilation, rows), weight.select(0, 2)).relu_();
  const at::Tensor residual = x.narrow(0, dilation, rows);
  return c10::GradMode::is_enabled() ? next + residual : next.add_(residual);  // a gradient needs what relu_ returned
}

namespace {
/// The first convolution of bases whose letters are [positions, 4], in memory one after the other.
at::Tensor first_convolution(const at::Tensor& letters, const at::Tensor& weight, const at::Tensor& bias) {
  constexpr int64_t kFirst = ProfileHalf::kFirstWidth;
  const int64_t positions = letters.size(0) - (kFirst - 1);
  const at::Tensor windows = letters.as_strided({positions, 4 * kFirst}, {4, 1}, letters.storage_offset());
  return at::addmm(bias, windows, weight).relu_();
}
/// So many rows in the middle of a tensor.
at::Tensor middle(const at::Tensor& rows, int64_t count) { return rows.narrow(0, (rows.size(0) - count) / 2, count); }
}  // namespace

at::Tensor ProfileNetwork::last_states(const Half& half, const at::Tensor& letters,
                                       std::vector<at::Tensor>* kept) const {
  at::Tensor x = first_convolution(letters, half.first, half.first_bias);
  for (int64_t i = 0; i < half.shape.layers; ++i) {
    if (kept) kept->push_back(x);
    x = dilated(half, i, x, x.size(0) - 2 * half.shape.dilation(i));
  }
  if (kept) kept->push_back(x);
  return x;
}

at::Tensor ProfileNetwork::taps_of(const Half& half, const at::Tensor& x) const {
  return at::matmul(middle(x, config_.output + ProfileHalf::kProfileWidth - 1), half.profile);
}

at::Tensor ProfileNetwork::counts_of(const Half& half, const at::Tensor& x) {
  return middle(x, half.shape.averaged).mean(0).dot(half.count);
}

ProfileNetwork::Trace ProfileNetwork::run(const Half& half, const at::Tensor& letters, const at::Tensor& controls,
                                          bool keep) const {
  Trace trace;
  const at::Tensor x = last_states(half, letters, keep ? &trace.states : nullptr);
  trace.taps = taps_of(half, x);
  double log_counts = counts_of(half, x).item<double>() + half.count_bias;
  if (controls.defined()) {
    trace.taps.addmm_(middle(controls, trace.taps.size(0)), half.profile_controls);
    log_counts += half.count_controls * std::log1p(middle(controls, half.shape.averaged).sum().item<double>());
  }
  trace.prediction = prediction_of(half, trace.taps, log_counts);
  return trace;
}

at::Tensor ProfileNetwork::logits_of(const Half& half, const at::Tensor& taps) const {
  constexpr int64_t kWide = ProfileHalf::kProfileWidth;
  const int64_t columns = taps.size(1);
  return taps.as_strided({config_.strands, config_.output, kWide}, {kWide, columns, columns + 1}).sum(2) +
         half.profile_bias;
}

ProfilePrediction ProfileNetwork::prediction_of(const Half& half, const at::Tensor& taps, double log_counts) const {
  const at::Tensor numbers = logits_of(half, taps).to(at::kCPU).contiguous();
  const float* const first = numbers.const_data_ptr<float>();
  ProfilePrediction result{{first, first + numbers.numel()}, log_counts};
  if (!all_finite(result.logits) || !std::isfinite(log_counts))
    fail(path_, ": the model's output is not a number: damaged weights");
  return result;
}

ProfilePrediction ProfileNetwork::rerun(const Half& half, const Trace& trace, const at::Tensor& letters, int64_t first,
                                        int64_t last) const {
  // rows [first, last) of each state are others than in the trace: `x`
  const auto reached = [&](int64_t before, int64_t rows) {
    first = std::max<int64_t>(0, first - before), last = std::min(last, rows);
  };
  reached(ProfileHalf::kFirstWidth - 1, trace.states.front().size(0));
  at::Tensor x = first_convolution(letters.narrow(0, first, last - first + ProfileHalf::kFirstWidth - 1), half.first,
                                   half.first_bias);
  for (int64_t i = 0; i < half.shape.layers; ++i) {
    const auto& before = trace.states[static_cast<size_t>(i)];
    const int64_t from = first, reach = 2 * half.shape.dilation(i);
    reached(reach, before.size(0) - reach);
    at::Tensor rows = before.narrow(0, first, last - first + reach).clone();
    const int64_t count = std::min(x.size(0), rows.size(0) - (from - first));
    rows.narrow(0, from - first, count).copy_(x.narrow(0, 0, count));
    x = dilated(half, i, rows, last - first);
  }
  const auto& old = trace.states.back();
  const auto inside = [&](int64_t count, const auto& use) {  // what of `x` lies in so many rows in the middle
    const int64_t skipped = (old.size(0) - count) / 2, begin = std::max(first, skipped),
                  end = std::min(last, skipped + count);
    if (begin < end) use(begin, end - begin, begin - skipped);
  };
  at::Tensor taps = trace.taps;
  inside(taps.size(0), [&](int64_t begin, int64_t count, int64_t place) {
    taps = taps.clone();
    taps.narrow(0, place, count).copy_(at::matmul(x.narrow(0, begin - first, count), half.profile));
  });
  double log_counts = trace.prediction.log_counts;
  inside(half.shape.averaged, [&](int64_t begin, int64_t count, int64_t) {
    const at::Tensor change = (x.narrow(0, begin - first, count) - old.narrow(0, begin, count)).sum(0);
    log_counts += change.dot(half.count).item<double>() / static_cast<double>(half.shape.averaged);
  });
  return prediction_of(half, taps, log_counts);
}

at::Tensor ProfileNetwork::letters_of(std::string_view bases) const { return one_hot(bases).to(placement_.device); }

namespace {
/// Adds a half's prediction.
void add(ProfilePrediction& sum, const ProfilePrediction& own) {
  if (sum.logits.empty()) {
    sum = own;
    return;
  }
  for (size_t k = 0; k < own.logits.size(); ++k) sum.logits[k] += own.logits[k];
  sum.log_counts = log_add(sum.log_counts, own.log_counts);
}

/// The mean of a reading and one of the other strand, whose last base of its other strand is this one's first.
ProfilePrediction mean(ProfilePrediction forward, const ProfilePrediction& reverse) {
  const size_t size = forward.logits.size();
  for (size_t k = 0; k < size; ++k) forward.logits[k] = (forward.logits[k] + reverse.logits[size - 1 - k]) / 2;
  forward.log_counts = log_add(forward.log_counts, reverse.log_counts) - std::log(2.0);
  return forward;
}
}  // namespace

ProfilePrediction ProfileNetwork::sum_of_halves(Part part,
                                                const std::function<ProfilePrediction(const Half&)>& predict) const {
  ProfilePrediction sum;
  for (size_t i = 0; i < halves_.size(); ++i)
    if (uses(i, part)) add(sum, predict(halves_[i]));
  return sum;
}

ProfilePrediction ProfileNetwork::predict(std::string_view bases, Part part, std::span<const float> controls) const {
  c10::NoGradGuard no_grad;
  const at::Tensor letters = letters_of(bases);
  at::Tensor tracks;
  if (!controls.empty())
    tracks = at::from_blob(const_cast<float*>(controls.data()), {config_.controls, config_.window})
                 .t()
                 .contiguous()
                 .to(placement_.device);
  return sum_of_halves(part, [&](const Half& half) { return run(half, letters, tracks, /*keep=*/false).prediction; });
}

ProfilePrediction ProfileNetwork::predict(std::string_view bases, Part part, session::Strands strands) const {
  auto forward = predict(bases, part);
  if (strands != session::Strands::average) return forward;
  return mean(std::move(forward), predict(genome::reverse_complement(bases), part));
}

ProfilePrediction ProfileNetwork::of_strands(
    session::Strands strands, std::string_view bases,
    const std::function<ProfilePrediction(const at::Tensor&, bool)>& of_strand) const {
  c10::NoGradGuard no_grad;
  auto forward = of_strand(letters_of(bases), false);
  if (strands != session::Strands::average) return forward;
  return mean(std::move(forward), of_strand(letters_of(genome::reverse_complement(bases)), true));
}

ProfileNetwork::Original ProfileNetwork::original(std::string_view bases, Part part, session::Strands strands) const {
  Original original{std::string(bases), part, strands, {}, {}};
  original.prediction = of_strands(strands, bases, [&](const at::Tensor& letters, bool) {
    return sum_of_halves(part, [&](const Half& half) {
      original.traces.push_back(run(half, letters, {}, /*keep=*/true));
      return original.traces.back().prediction;
    });
  });
  return original;
}

ProfilePrediction ProfileNetwork::edited(const Original& original, std::string_view bases) const {
  const auto first = std::ranges::mismatch(original.bases, bases).in1 - original.bases.begin();
  if (first == std::ssize(bases)) return original.prediction;
  int64_t last = std::ssize(bases);
  while (original.bases[static_cast<size_t>(last - 1)] == bases[static_cast<size_t>(last - 1)]) --last;
  auto trace = original.traces.begin();
  return of_strands(original.strands, bases, [&](const at::Tensor& letters, bool reverse) {
    const int64_t from = reverse ? config_.window - last : first, to = reverse ? config_.window - first : last;
    return sum_of_halves(original.part, [&](const Half& half) { return rerun(half, *trace++, letters, from, to); });
  });
}

void refuse_bf16(const session::RunOptions& run, const std::string& model) {
  if (run.precision == "bf16")
    throw UsageError(concat("--precision bf16: ", model, " is a profile model, which computes in fp32"));
}

void check_part(Part part, const model_folder::ProfileFolder& folder) {
  if (part != Part::whole && !folder.config.has_bias())
    throw UsageError(concat("--part: ", folder.path, " has no bias model"));
}

double Score::of(const ProfilePrediction& prediction) const {
  if (weights.empty()) return prediction.log_counts;
  const auto& logits = prediction.logits;
  const double mean = std::accumulate(logits.begin(), logits.end(), 0.0) / static_cast<double>(logits.size());
  return std::inner_product(logits.begin(), logits.end(), weights.begin(), 0.0, std::plus<>(),
                            [&](double logit, double weight) { return (logit - mean) * weight; });
}

at::Tensor ProfileNetwork::score_of(const at::Tensor& letters, Part part, session::Strands strands,
                                    const Score& score) const {
  at::Tensor logits, log_counts;
  const auto read = [&](const at::Tensor& one_strand) {
    at::Tensor own_logits, own_counts;
    for (size_t i = 0; i < halves_.size(); ++i) {
      if (!uses(i, part)) continue;
      const auto& half = halves_[i];
      const at::Tensor x = last_states(half, one_strand, nullptr);
      const at::Tensor of_half = logits_of(half, taps_of(half, x)), counts = counts_of(half, x) + half.count_bias;
      own_logits = own_logits.defined() ? own_logits + of_half : of_half;
      own_counts = own_counts.defined() ? at::logaddexp(own_counts, counts) : counts;
    }
    return std::pair(own_logits, own_counts);
  };
  std::tie(logits, log_counts) = read(letters);
  if (strands == session::Strands::average) {
    const auto [other, counts] = read(letters.flip({0, 1}));  // the other strand: T is the complement of A
    logits = (logits + other.flip({0, 1})) / 2;
    log_counts = at::logaddexp(log_counts, counts) - std::log(2.0);
  }
  if (score.weights.empty()) return log_counts;
  const at::Tensor weights =
      at::from_blob(const_cast<float*>(score.weights.data()), logits.sizes()).to(logits.device());
  return ((logits - logits.mean()) * weights).sum();
}

std::vector<float> ProfileNetwork::gradient(std::string_view bases, std::string_view from, double share, Part part,
                                            session::Strands strands, const Score& score) const {
  c10::AutoGradMode with_gradients(true);
  const at::Tensor own = letters_of(bases), other = letters_of(from);
  const at::Tensor letters = (other + share * (own - other)).detach().requires_grad_(true);
  score_of(letters, part, strands, score).backward();
  const at::Tensor numbers = letters.grad().to(at::kCPU).contiguous();
  const float* const first = numbers.const_data_ptr<float>();
  std::vector<float> all(first, first + numbers.numel());
  if (!all_finite(all)) fail(path_, ": a gradient is not a number: damaged weights");
  return all;
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
