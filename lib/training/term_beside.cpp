#include "training/term_beside.h"

#include <ATen/ops/tensor.h>

#include <algorithm>

#include "base/counted.h"
#include "base/log.h"
#include "dataset/features.h"
#include "evaluation/baseline_methods.h"
#include "linear/calibration_fit.h"

namespace bigdna::training {

namespace {
/// linear::fit_stack() of the outputs of each type.
linear::Stack stack_of(const rows::TaskRows& rows, const at::Tensor& base, const at::Tensor& term,
                       const at::Tensor& labels, const std::vector<int64_t>& blocks, linear::StackChoice choice) {
  const auto count = rows.features.size();
  linear::Stack stack{std::vector<double>(count, 0), std::vector<double>(count, 1), std::vector<double>(count, 0)};
  for (const auto& [type, features] : rows.by_type()) {
    const at::Tensor columns = at::tensor(features);
    const auto part =
        linear::fit_stack(base.index_select(1, columns), term.index_select(1, columns), labels.index_select(1, columns),
                          blocks, rows.groups_of(features), type, choice);
    for (size_t i = 0; i < features.size(); ++i) {
      const auto f = static_cast<size_t>(features[i]);
      stack.beta[f] = part.beta[i];
      stack.scale[f] = part.scale[i];
    }
  }
  return stack;
}
}  // namespace

/// base + beta x term, both calibrated, is divided by 1 + beta, so that a label which validation rows say too little of
/// keeps the mean logit of its parts (linear::fit_calibration()). Of counts, whose calibration has no scale, it is
/// multiplied by that of the stack.
void TermBeside::add_to(const std::vector<float>& base, const Rows& validation) {
  place_.reset();
  if (validation.empty()) return;
  const auto outputs = static_cast<size_t>(rows_.labels());
  const auto matrix = [&](const std::vector<double>& values) {
    return at::tensor(values, at::kFloat).view({-1, rows_.labels()});
  };
  const auto of_term = logits(validation);
  std::vector<double> term(of_term.begin(), of_term.end()), both(base.begin(), base.end());
  const auto own = evaluation::calibration_of(term, rows_, validation);
  own.apply(term);
  const at::Tensor labels = rows_.label_matrix(validation);
  auto stack =
      stack_of(rows_, matrix(both), matrix(term), labels, rows::several_blocks(rows_.blocks_of(validation)), choice());
  std::vector<double> divisor(outputs);
  for (size_t f = 0; f < outputs; ++f) {
    const auto type = rows_.type_of(f);
    // of few validation rows: the output stays the base's, whose probability has the training rows' share
    if (type == dataset::LabelType::binary || type == dataset::LabelType::multilabel)
      if (linear::is_of_few(labels.select(1, static_cast<int64_t>(f)))) stack.beta[f] = 0;
    divisor[f] = type == dataset::LabelType::counts ? 1 / stack.scale[f] : 1 + stack.beta[f];
  }
  // an output and its counterpart on the other strand change places between readings, so both have the term or none
  const auto other = dataset::features_of_other_strand(rows_.features);
  for (size_t f = 0; f < other.size(); ++f)
    if (auto& counterpart = stack.beta[static_cast<size_t>(other[f])]; stack.beta[f] == 0) counterpart = 0;
  for (size_t i = 0; i < both.size(); ++i)
    both[i] = (both[i] + stack.beta[i % outputs] * term[i]) / divisor[i % outputs];
  const auto of_sum = evaluation::calibration_of(both, rows_, validation);
  Place place;
  for (size_t f = 0; f < outputs; ++f) {
    const double beta = stack.beta[f], share = of_sum.scale[f] * beta / divisor[f];
    auto& of_group = place.share[rows_.features[f].group];
    of_group = std::max(of_group, beta / (1 + beta));
    place.scale.push_back(share * own.scale[f]);
    place.shift.push_back(beta > 0 ? share * own.shift[f] + of_sum.shift[f] : 0);
    place.base_weight.push_back(beta > 0 ? of_sum.scale[f] / divisor[f] : 1);
  }
  if (std::ranges::all_of(stack.beta, [](double beta) { return beta == 0; })) {
    log::info("the validation examples call for no share of the ", title(), ", so the model has none");
    return;
  }
  log::info("share of the ", title(), " in the sum, chosen on ", counted(validation.size(), "validation example"), ": ",
            linear::text_by_group(place.share));
  place_ = std::move(place);
  placed();
}

void TermBeside::rescale(const std::vector<double>& factors) {
  if (!place_) return;
  for (size_t f = 0; f < factors.size(); ++f) {
    place_->scale[f] *= factors[f];
    place_->shift[f] *= factors[f];
  }
  placed();
}

}  // namespace bigdna::training
