#include "training/kmers_beside.h"

#include <ATen/ops/tensor.h>

#include <algorithm>

#include "base/counted.h"
#include "base/log.h"
#include "dataset/features.h"
#include "evaluation/baseline_methods.h"
#include "linear/calibration_fit.h"
#include "linear/kmer_fit.h"
#include "linear/stacking.h"

namespace bigdna::training {

KmersBeside::KmersBeside(const rows::TaskRows& rows, session::Strands strands, int threads)
    : rows_(rows),
      strands_(strands),
      threads_(threads),
      alone_(evaluation::fitted_kmers(rows, linear::kmer_counts(rows),
                                      /*reversed=*/strands == session::Strands::average, threads)) {}

std::vector<float> KmersBeside::logits_of(const models::KmerModel& model, const std::vector<int64_t>& rows) const {
  return evaluation::kmer_logits(model, rows_, rows, strands_, threads_);
}

namespace {
/// linear::fit_stack() of the outputs of each type.
linear::Stack stack_of(const rows::TaskRows& rows, const at::Tensor& network, const at::Tensor& kmers,
                       const at::Tensor& labels, const std::vector<int64_t>& blocks) {
  const auto count = rows.features.size();
  linear::Stack stack{std::vector<double>(count, 0), std::vector<double>(count, 1), std::vector<double>(count, 0)};
  for (const auto& [type, features] : rows.by_type()) {
    const at::Tensor columns = at::tensor(features);
    const auto part = linear::fit_stack(network.index_select(1, columns), kmers.index_select(1, columns),
                                        labels.index_select(1, columns), blocks, rows.groups_of(features), type,
                                        linear::StackChoice::least_loss);
    for (size_t i = 0; i < features.size(); ++i) {
      const auto f = static_cast<size_t>(features[i]);
      stack.beta[f] = part.beta[i];
      stack.scale[f] = part.scale[i];
    }
  }
  return stack;
}
}  // namespace

/// network + beta x k-mers, both calibrated, is divided by 1 + beta, so that a label which validation rows say too
/// little of keeps the mean logit of its parts (linear::fit_calibration()). Of counts, whose calibration has no scale,
/// it is multiplied by that of the stack.
void KmersBeside::add_to(const std::vector<float>& network, const std::vector<int64_t>& validation) {
  beside_.reset();
  weights_.clear();
  if (validation.empty()) return;
  const auto outputs = static_cast<size_t>(rows_.labels());
  const auto matrix = [&](const std::vector<double>& values) {
    return at::tensor(values, at::kFloat).view({-1, rows_.labels()});
  };
  const auto of_kmers = logits(validation);
  std::vector<double> kmers(of_kmers.begin(), of_kmers.end()), both(network.begin(), network.end());
  const auto own = evaluation::calibration_of(kmers, rows_, validation);
  own.apply(kmers);
  const at::Tensor labels = rows_.label_matrix(validation);
  auto stack = stack_of(rows_, matrix(both), matrix(kmers), labels, rows_.megabases_of(validation));
  std::vector<double> divisor(outputs);
  for (size_t f = 0; f < outputs; ++f) {
    const auto type = rows_.type_of(f);
    // of few validation rows: the output stays the network's, whose probability has the training rows' share
    if (type == dataset::LabelType::binary || type == dataset::LabelType::multilabel)
      if (linear::is_of_few(labels.select(1, static_cast<int64_t>(f)))) stack.beta[f] = 0;
    divisor[f] = type == dataset::LabelType::counts ? 1 / stack.scale[f] : 1 + stack.beta[f];
  }
  // an output and its counterpart on the other strand change places between readings, so both have the k-mers or none
  const auto other = dataset::features_of_other_strand(rows_.features);
  for (size_t f = 0; f < other.size(); ++f)
    if (auto& counterpart = stack.beta[static_cast<size_t>(other[f])]; stack.beta[f] == 0) counterpart = 0;
  for (size_t i = 0; i < both.size(); ++i)
    both[i] = (both[i] + stack.beta[i % outputs] * kmers[i]) / divisor[i % outputs];
  const auto of_sum = evaluation::calibration_of(both, rows_, validation);
  models::KmerModel model = alone_;
  for (size_t f = 0; f < outputs; ++f) {
    const double beta = stack.beta[f], share = of_sum.scale[f] * beta / divisor[f];
    auto& of_group = weights_[rows_.features[f].group];
    of_group = std::max(of_group, beta / (1 + beta));
    model.rescale(f, share * own.scale[f], beta > 0 ? share * own.shift[f] + of_sum.shift[f] : 0);
    model.base_weight[f] = beta > 0 ? static_cast<float>(of_sum.scale[f] / divisor[f]) : 1;
  }
  if (std::ranges::all_of(stack.beta, [](double beta) { return beta == 0; })) {
    log::info("the k-mers do not improve the network on the validation examples, so the model has none");
    return;
  }
  log::info("share of the k-mers in the sum with the network, chosen on ",
            counted(validation.size(), "validation example"), ": ", linear::text_by_group(weights_));
  beside_ = std::move(model);
}

std::vector<float> KmersBeside::sum(std::vector<float> network, const std::vector<int64_t>& rows) const {
  const auto kmers = logits_of(*beside_, rows);
  for (size_t i = 0; i < network.size(); ++i)
    network[i] = kmers[i] + beside_->base_weight[i % beside_->base_weight.size()] * network[i];
  return network;
}

}  // namespace bigdna::training
