#include "training/term_beside.h"

#include <ATen/ops/tensor.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

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
      stack.shift[f] = part.shift[i];
    }
  }
  return stack;
}
}  // namespace

TermBeside::Place TermBeside::place_alone(const std::vector<double>& term, const Rows& validation) const {
  if (validation.empty()) log::warn("there are no validation examples, so the ", title(), " is not calibrated");
  const auto own = evaluation::calibration_of(term, rows_, validation);
  Place place{own.scale, own.shift, std::vector<double>(own.scale.size(), 1), {}};
  for (const auto& feature : rows_.features) place.share[feature.group] = 1;
  return place;
}

/// base + beta x term, both calibrated, is divided by 1 + beta, so that the sum has the scale of its parts. Of counts,
/// whose calibration has no scale, it is multiplied by that of the stack.
std::optional<TermBeside::Place> TermBeside::place_of(std::vector<double> term, const std::vector<float>& base,
                                                      const Rows& validation) const {
  const auto outputs = static_cast<size_t>(rows_.labels());
  const auto matrix = [&](const std::vector<double>& values) {
    return at::tensor(values, at::kFloat).view({-1, rows_.labels()});
  };
  std::vector<double> both(base.begin(), base.end());
  const auto own = evaluation::calibration_of(term, rows_, validation);
  own.apply(term);
  const at::Tensor labels = rows_.label_matrix(validation);
  auto stack =
      stack_of(rows_, matrix(both), matrix(term), labels, rows::several_blocks(rows_.blocks_of(validation)), choice());
  std::vector<double> divisor(outputs);
  for (size_t f = 0; f < outputs; ++f) {
    const auto type = rows_.type_of(f);
    // of few validation rows: the output stays the base's, whose mean probability is the training rows' share
    if (rows::is_binary(type) && linear::is_of_few(labels.select(1, static_cast<int64_t>(f)))) stack.beta[f] = 0;
    divisor[f] = type == dataset::LabelType::counts ? 1 / stack.scale[f] : 1 + stack.beta[f];
  }
  // an output and its counterpart on the other strand change places between readings, so both have the term or none
  const auto other = dataset::features_of_other_strand(rows_.features);
  for (size_t f = 0; f < other.size(); ++f)
    if (auto& counterpart = stack.beta[static_cast<size_t>(other[f])]; stack.beta[f] == 0) counterpart = 0;
  if (std::ranges::all_of(stack.beta, [](double beta) { return beta == 0; })) return std::nullopt;
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
  return place;
}

void TermBeside::set_place(std::optional<Place> place) {
  place_ = std::move(place);
  if (!place_) {
    log::info("the examples call for no share of the ", title(), ", so the model has none");
    return;
  }
  log::info("share of the ", title(), " in the sum: ", linear::text_by_group(place_->share));
  placed();
}

void TermBeside::add_to(const std::vector<float>* base, const Rows& validation) {
  place_.reset();
  const auto values = logits(validation);
  const std::vector<double> own(values.begin(), values.end());
  if (!base)
    set_place(place_alone(own, validation));
  else if (!validation.empty())
    set_place(place_of(own, *base, validation));
}

namespace {
/// What is known of the rows that both have: all of the first, all of the second.
std::pair<TermBeside::OutOfFold, TermBeside::OutOfFold> in_common(const TermBeside::OutOfFold& first,
                                                                  const TermBeside::OutOfFold& second) {
  std::unordered_map<int64_t, int64_t> places;  // of a row in `first`
  for (size_t i = 0; i < first.rows.size(); ++i) places.emplace(first.rows[i], i);
  TermBeside::Rows common;
  std::vector<int64_t> in_first, in_second;
  for (size_t i = 0; i < second.rows.size(); ++i) {
    const auto place = places.find(second.rows[i]);
    if (place == places.end()) continue;
    common.push_back(second.rows[i]);
    in_first.push_back(place->second);
    in_second.push_back(static_cast<int64_t>(i));
  }
  return {{common, first.logits.index_select(0, at::tensor(in_first))},
          {common, second.logits.index_select(0, at::tensor(in_second))}};
}

/// Logits of terms that are added to each other: sum over t of weights[t] x logits of term t, + shift.
struct Together {
  std::vector<std::vector<double>> weights;            // of each term, by output
  std::vector<double> shift;                           // by output
  std::vector<std::map<std::string, double>> portion;  // of each term, by group of outputs
};

Together weigh(const rows::TaskRows& rows, std::span<TermBeside* const> terms) {
  const auto outputs = static_cast<size_t>(rows.labels());
  const auto row = [](const std::vector<double>& values) { return at::tensor(values).to(at::kFloat); };
  Together all{{std::vector<double>(outputs, 1)}, std::vector<double>(outputs, 0), {{}}};
  for (const auto& feature : rows.features) all.portion[0][feature.group] = 1;
  auto sum = terms.front()->out_of_fold();
  for (auto* const term : terms.subspan(1)) {
    const auto [base, next] = in_common(sum, term->out_of_fold());
    auto stack = stack_of(rows, base.logits, next.logits, rows.label_matrix(base.rows),
                          rows::several_blocks(rows.blocks_of(base.rows)), linear::StackChoice::earned);
    for (size_t f = 0; f < outputs; ++f)  // what has no part of the term stays as it is
      if (stack.beta[f] == 0) stack.scale[f] = 1, stack.shift[f] = 0;
    sum = {base.rows, row(stack.scale) * (base.logits + row(stack.beta) * next.logits) + row(stack.shift)};
    auto& weights = all.weights.emplace_back(outputs);
    std::map<std::string, double> betas;
    for (size_t f = 0; f < outputs; ++f) {
      for (auto& of_term : all.weights) of_term[f] *= stack.scale[f];
      weights[f] = stack.scale[f] * stack.beta[f];
      all.shift[f] = stack.scale[f] * all.shift[f] + stack.shift[f];
      auto& beta = betas[rows.features[f].group];
      beta = std::max(beta, stack.beta[f]);
    }
    all.portion.emplace_back();
    for (const auto& [group, beta] : betas) {
      for (auto& of_term : all.portion) of_term[group] /= 1 + beta;
      all.portion.back()[group] = beta / (1 + beta);
    }
    log::info("the weight of the ", term->title(), " is chosen on ", counted(base.rows.size(), "training example"));
  }
  return all;
}
}  // namespace

void TermBeside::add_together(std::span<TermBeside* const> terms, const std::vector<float>* base,
                              const Rows& validation) {
  auto& first = *terms.front();
  const auto together = weigh(first.rows_, terms);
  const auto outputs = together.shift.size();
  std::vector<double> sum(validation.size() * outputs);
  for (size_t t = 0; t < terms.size(); ++t) {
    const auto values = terms[t]->logits(validation);
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += together.weights[t][i % outputs] * values[i];
  }
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += together.shift[i % outputs];
  const auto whole = base ? first.place_of(std::move(sum), *base, validation) : first.place_alone(sum, validation);
  for (size_t t = 0; t < terms.size(); ++t) {
    if (!whole || std::ranges::all_of(together.weights[t], [](double weight) { return weight == 0; })) {
      terms[t]->set_place(std::nullopt);
      continue;
    }
    Place place = *whole;
    for (auto& [group, share] : place.share) share *= together.portion[t].at(group);
    for (size_t f = 0; f < outputs; ++f) {
      place.shift[f] = t == 0 ? whole->shift[f] + whole->scale[f] * together.shift[f] : 0;
      place.scale[f] = whole->scale[f] * together.weights[t][f];
      if (t > 0) place.base_weight[f] = 1;
    }
    terms[t]->set_place(std::move(place));
  }
}

}  // namespace bigdna::training
