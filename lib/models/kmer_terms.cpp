#include "models/kmer_terms.h"

#include <ATen/ops/from_blob.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "genome/kmer_frequencies.h"

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

std::vector<float> KmerTerm::shares(const Reading& reading, int64_t first, int64_t count) const {
  const size_t outputs = kmers_.labels();
  const std::string_view bases = *reading.bases;
  std::vector<double> all(static_cast<size_t>(count) * outputs, 0);
  size_t column = 0;  // the first of this window and length
  for (const auto& window : kmers_.counts.windows) {
    const auto [start, size] = KmerCounts::part_of(window, bases.size(), reading.reversed ? 1 - anchor_ : anchor_);
    for (int length = 1; length <= window.longest; ++length) {
      int64_t columns = 0;
      const auto kmers = genome::kmer_columns(bases.substr(start, size), length, window.both_strands, columns);
      const auto total = static_cast<double>(std::ranges::count_if(kmers, [](int32_t kmer) { return kmer >= 0; }));
      for (size_t i = 0; i < kmers.size(); ++i) {
        const int64_t at = static_cast<int64_t>(start + i) - first, begin = std::max<int64_t>(0, at),
                      end = std::min(count, at + length);
        if (kmers[i] < 0 || begin >= end) continue;
        const float* weight = weight_.data() + (column + static_cast<size_t>(kmers[i])) * outputs;
        for (int64_t base = begin; base < end; ++base)
          for (size_t f = 0; f < outputs; ++f)
            all[static_cast<size_t>(base) * outputs + f] += weight[f] / total / static_cast<double>(end - begin);
      }
      column += static_cast<size_t>(columns);
    }
  }
  if (reading.reversed && !other_strand_.empty())
    for (size_t row = 0; row < all.size(); row += outputs) {
      const std::vector<double> given(all.begin() + static_cast<int64_t>(row),
                                      all.begin() + static_cast<int64_t>(row + outputs));
      for (size_t f = 0; f < outputs; ++f) all[row + f] = given[static_cast<size_t>(other_strand_[f])];
    }
  return {all.begin(), all.end()};
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
