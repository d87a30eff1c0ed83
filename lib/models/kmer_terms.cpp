#include "models/kmer_terms.h"

#include <ATen/ops/from_blob.h>
#include <c10/core/GradMode.h>

#include "models/network.h"

namespace bigdna::models {

namespace {
/// The reading's k-mers, counted once.
const std::vector<float>& kmers_of(Reading& reading, const KmerCounts& counts, double anchor, int64_t context = 0) {
  if (!reading.kmers.empty()) return reading.kmers;
  const double site = reading.reversed ? 1 - anchor : anchor;
  const bool as_given = context == 0 || std::ssize(*reading.bases) == context;
  reading.kmers = counts.values(as_given ? *reading.bases : around_middle(*reading.bases, context), site);
  return reading.kmers;
}
}  // namespace

KmerTerm::KmerTerm(const KmerModel& kmers, double anchor, std::vector<int64_t> other_strand, int64_t context)
    : kmers_(kmers),
      anchor_(anchor),
      other_strand_(std::move(other_strand)),
      context_(context),
      weight_(kmers.weight.size()) {
  const size_t outputs = kmers.labels(), columns = outputs ? weight_.size() / outputs : 0;
  for (size_t f = 0; f < outputs; ++f)
    for (size_t j = 0; j < columns; ++j) weight_[j * outputs + f] = kmers.weight[f * columns + j];
}

/// Adds up in the order of KmerModel::linear_logits(), so both give the same bits; most k-mers of a short window occur
/// nowhere in it.
std::vector<float> KmerTerm::logits(std::span<Reading> readings) const {
  const size_t outputs = kmers_.labels();
  std::vector<float> all(readings.size() * outputs);
  std::vector<double> sums(outputs);
  for (size_t i = 0; i < readings.size(); ++i) {
    const auto& values = kmers_of(readings[i], kmers_.counts, anchor_, context_);
    std::copy(kmers_.bias.begin(), kmers_.bias.end(), sums.begin());
    for (size_t j = 0; j < values.size(); ++j) {
      if (values[j] == 0) continue;
      const float* weight = weight_.data() + j * outputs;
      for (size_t f = 0; f < outputs; ++f) sums[f] += static_cast<double>(weight[f]) * values[j];
    }
    for (size_t f = 0; f < outputs; ++f)
      all[i * outputs + f] = static_cast<float>(
          sums[readings[i].reversed && !other_strand_.empty() ? static_cast<size_t>(other_strand_[f]) : f]);
  }
  return all;
}

std::vector<float> KmerTerm::mean_of_strands(std::span<Reading> forward, std::span<Reading> reverse) const {
  return kmers_.counts.same_on_both_strands() ? logits(forward) : Term::mean_of_strands(forward, reverse);
}

/// Row by row, so that a row's numbers do not depend on what else is computed.
std::vector<float> KernelTerm::logits(std::span<Reading> readings) const {
  const c10::NoGradGuard no_grad;
  const auto row = [](const std::vector<float>& values) {
    return at::from_blob(const_cast<float*>(values.data()), {1, std::ssize(values)}, at::kFloat);
  };
  std::vector<float> all;
  for (auto& reading : readings) {
    const at::Tensor logits =
        kmers_.kernel->logits(row(kmers_of(reading, kmers_.counts, anchor_)), row(reading.pooled));
    all.insert(all.end(), logits.const_data_ptr<float>(), logits.const_data_ptr<float>() + logits.numel());
  }
  return all;
}

}  // namespace bigdna::models
