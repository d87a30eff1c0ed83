#include "models/kmer_terms.h"

#include <ATen/ops/from_blob.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <numeric>

#include "genome/kmer_frequencies.h"

#include "models/network.h"

namespace bigdna::models {

namespace {
/// The reading's k-mers, counted once. `reverse`: those of its reverse complement, if they are known.
const std::vector<float>& kmers_of(Reading& reading, KmerReader& reader, double anchor, int64_t context = 0,
                                   std::span<const float> reverse = {}) {
  if (!reading.kmers.empty()) return reading.kmers;
  const double site = reading.reversed ? 1 - anchor : anchor;
  const bool as_given = context == 0 || std::ssize(*reading.bases) == context;
  reading.kmers = reader.values(as_given ? *reading.bases : around_middle(*reading.bases, context), site, reverse);
  return reading.kmers;
}

/// Columns of a block that are not 0 in a sequence.
struct NonZero {
  std::vector<size_t> columns{};
  std::vector<double> values{};
  void take(std::span<const float> all) {
    columns.clear();
    values.clear();
    for (size_t j = 0; j < all.size(); ++j)
      if (all[j] != 0) columns.push_back(j), values.push_back(all[j]);
  }
};

/// Adds weight x value to `sums` for N outputs at a time, from `first` on, as long as there are so many.
template <size_t N>
void add_products(const NonZero& kmers, const std::vector<float>& weight, std::span<double> sums, size_t& first) {
  for (; first + N <= sums.size(); first += N) {
    double of_these[N];
    std::copy_n(sums.data() + first, N, of_these);
    for (size_t j = 0; j < kmers.columns.size(); ++j) {
      const float* const of_column = weight.data() + kmers.columns[j] * sums.size() + first;
      for (size_t f = 0; f < N; ++f) of_these[f] += static_cast<double>(of_column[f]) * kmers.values[j];
    }
    std::copy_n(of_these, N, sums.data() + first);
  }
}

std::vector<size_t> all_outputs(const KmerModel& kmers) {
  std::vector<size_t> outputs(kmers.labels());
  std::iota(outputs.begin(), outputs.end(), size_t{0});
  return outputs;
}

/// Whether an output has weights among these columns.
bool has_weights(const KmerModel& kmers, size_t output, size_t first, size_t columns) {
  const float* const row = kmers.weight.data() + output * (kmers.weight.size() / kmers.labels());
  return std::any_of(row + first, row + first + columns, [](float weight) { return weight != 0; });
}

/// The outputs with weights in a window that differs between strands, and the outputs that another strand exchanges.
std::vector<size_t> stranded_outputs(const KmerModel& kmers, const std::vector<int64_t>& other_strand) {
  std::vector<size_t> outputs;
  for (const size_t output : all_outputs(kmers)) {
    bool stranded = !other_strand.empty() && static_cast<size_t>(other_strand[output]) != output;
    size_t first = 0;
    for (const auto& window : kmers.counts.windows) {
      const auto columns = static_cast<size_t>(KmerCounts::columns(window));
      stranded = stranded || (!window.both_strands && has_weights(kmers, output, first, columns));
      first += columns;
    }
    if (stranded) outputs.push_back(output);
  }
  return outputs;
}
}  // namespace

KmerProducts::KmerProducts(const KmerModel& kmers, const std::vector<size_t>& outputs) {
  const size_t row = kmers.labels() ? kmers.weight.size() / kmers.labels() : 0;
  size_t first = 0;
  for (const auto& window : kmers.counts.windows) {
    Block block{first, static_cast<size_t>(KmerCounts::columns(window))};
    for (const size_t output : outputs)
      if (has_weights(kmers, output, first, block.columns)) block.outputs.push_back(output);
    for (size_t j = first; j < first + block.columns; ++j)
      for (const size_t output : block.outputs) block.weight.push_back(kmers.weight[output * row + j]);
    first += block.columns;
    if (!block.outputs.empty()) blocks_.push_back(std::move(block));
  }
}

void KmerProducts::add(std::span<const float> values, std::span<double> sums) const {
  NonZero kmers;
  std::vector<double> own;
  for (const auto& block : blocks_) {
    kmers.take(values.subspan(block.first, block.columns));
    own.clear();
    for (const size_t output : block.outputs) own.push_back(sums[output]);
    size_t first = 0;
    add_products<16>(kmers, block.weight, own, first);
    add_products<4>(kmers, block.weight, own, first);
    add_products<1>(kmers, block.weight, own, first);
    for (size_t f = 0; f < own.size(); ++f) sums[block.outputs[f]] = own[f];
  }
}

KmerTerm::KmerTerm(const KmerModel& kmers, double anchor, std::vector<int64_t> other_strand, int64_t context)
    : kmers_(kmers),
      anchor_(anchor),
      other_strand_(std::move(other_strand)),
      context_(context),
      all_(all_outputs(kmers)),
      stranded_(stranded_outputs(kmers, other_strand_)),
      of_all_(kmers, all_),
      of_stranded_(kmers, stranded_) {}

std::vector<float> KmerTerm::logits(std::span<Reading> readings) const {
  const size_t outputs = kmers_.labels();
  std::vector<float> all(readings.size() * outputs);
  std::vector<double> sums(outputs);
  KmerReader reader(kmers_.counts);
  for (size_t i = 0; i < readings.size(); ++i) {
    std::copy(kmers_.bias.begin(), kmers_.bias.end(), sums.begin());
    of_all_.add(kmers_of(readings[i], reader, anchor_, context_), sums);
    for (size_t f = 0; f < outputs; ++f) all[i * outputs + f] = static_cast<float>(sums[source(readings[i], f)]);
  }
  return all;
}

std::vector<float> KmerTerm::shares(const Reading& reading, int64_t first, int64_t count) const {
  const size_t outputs = kmers_.labels();
  const size_t row = kmers_.weight.size() / outputs;
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
        const float* weight = kmers_.weight.data() + column + static_cast<size_t>(kmers[i]);
        for (int64_t base = begin; base < end; ++base)
          for (size_t f = 0; f < outputs; ++f)
            all[static_cast<size_t>(base) * outputs + f] += weight[f * row] / total / static_cast<double>(end - begin);
      }
      column += static_cast<size_t>(columns);
    }
  }
  if (reading.reversed && !other_strand_.empty())
    for (size_t base = 0; base < all.size(); base += outputs) {
      const std::vector<double> given(all.begin() + static_cast<int64_t>(base),
                                      all.begin() + static_cast<int64_t>(base + outputs));
      for (size_t f = 0; f < outputs; ++f) all[base + f] = given[static_cast<size_t>(other_strand_[f])];
    }
  return {all.begin(), all.end()};
}

std::vector<float> KmerTerm::mean_of_strands(std::span<Reading> forward, std::span<Reading> reverse) const {
  const size_t outputs = kmers_.labels();
  auto all = logits(forward);
  std::vector<double> sums(outputs);
  KmerReader reader(kmers_.counts);
  for (size_t i = 0; i < reverse.size(); ++i) {
    const size_t given = reverse[i].bases->size(), length = context_ > 0 ? static_cast<size_t>(context_) : given;
    const bool even = cuts_evenly(given);
    const bool same = even && std::ranges::all_of(kmers_.counts.windows, [&](const auto& window) {
                        return !window.both_strands || KmerCounts::same_on_both_strands(window, length, anchor_);
                      });
    if (same && stranded_.empty()) continue;
    std::copy(kmers_.bias.begin(), kmers_.bias.end(), sums.begin());
    const auto known = even ? std::span<const float>(forward[i].kmers) : std::span<const float>();
    const auto& values = kmers_of(reverse[i], reader, anchor_, context_, known);
    (same ? of_stranded_ : of_all_).add(values, sums);
    for (const size_t f : same ? stranded_ : all_) {
      float& mean = all[i * outputs + f];
      mean = (mean + static_cast<float>(sums[source(reverse[i], f)])) / 2;
    }
  }
  return all;
}

/// Row by row, so that a row's numbers do not depend on what else is computed.
std::vector<float> KernelTerm::logits(std::span<Reading> readings) const {
  const c10::NoGradGuard no_grad;
  const auto row = [](const std::vector<float>& values) {
    return at::from_blob(const_cast<float*>(values.data()), {1, std::ssize(values)}, at::kFloat);
  };
  std::vector<float> all;
  KmerReader reader(kmers_.counts);
  for (auto& reading : readings) {
    at::Tensor logits = kmers_.kernel->logits(row(kmers_of(reading, reader, anchor_)), row(reading.pooled));
    if (!alone_) logits = kmers_.kernel->in_sum(logits);
    all.insert(all.end(), logits.const_data_ptr<float>(), logits.const_data_ptr<float>() + logits.numel());
  }
  return all;
}

}  // namespace bigdna::models
