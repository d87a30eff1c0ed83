#include "linear/point_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softplus.h>

#include <algorithm>
#include <cmath>

namespace bigdna::linear {

namespace {
constexpr double kLargest = 40;  // of a logit of counts, in a step that is taken back

constexpr PointLoss kLosses[] = {
    {dataset::LabelType::multilabel, [](const at::Tensor& z, const at::Tensor& y) { return at::softplus(z) - y * z; },
     [](const at::Tensor& z, const at::Tensor& y) { return at::sigmoid(z) - y; },
     [](double sum, double rows) { return std::log((sum + 0.5) / (rows - sum + 0.5)); },
     [](double mean) { return std::max(1e-4, mean * (1 - mean)); },
     [](double sum, double rows) { return sum > 0 && sum < rows; }},
    {dataset::LabelType::counts, [](const at::Tensor& z, const at::Tensor& y) { return expected_counts(z) - y * z; },
     [](const at::Tensor& z, const at::Tensor& y) { return expected_counts(z) - y; },
     [](double sum, double rows) { return std::log((sum + 0.5) / (rows + 0.5)); },
     [](double mean) { return std::max(1e-4, mean); }, [](double sum, double) { return sum > 0; }},
};
}  // namespace

const PointLoss& point_loss(dataset::LabelType type) { return kLosses[type == dataset::LabelType::counts]; }

at::Tensor expected_counts(const at::Tensor& logits) { return at::exp(logits.clamp_max(kLargest)); }

}  // namespace bigdna::linear
