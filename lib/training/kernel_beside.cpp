#include "training/kernel_beside.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>

#include <algorithm>

#include "genome/alphabet.h"
#include "linear/kernel_fit.h"
#include "linear/kmer_fit.h"
#include "models/kmer_terms.h"
#include "rows/row_parts.h"
#include "session/stream.h"

namespace bigdna::training {

KernelBeside::KernelBeside(KmersBeside& kmers, EncoderBeside& encoder, const rows::TaskRows& rows,
                           session::Strands strands, uint64_t seed, int threads)
    : TermBeside(rows), kmers_(kmers), encoder_(encoder), strands_(strands), threads_(threads) {
  constexpr int64_t kMostValues = int64_t{1} << 28;
  const bool both = strands == session::Strands::average;
  model_.counts = kmers.counts();
  const int64_t most = std::max<int64_t>(1, kMostValues / (both ? 2 : 1) / model_.counts.columns());
  auto fitted = linear::fitted_rows(rows);
  if (std::ssize(fitted) > most) fitted = rows.of(dataset::Split::train, most);
  std::vector<linear::KernelRows> readings;
  for (const bool reversed : {false, true}) {
    if (reversed && !both) break;
    const at::Tensor states = at::tensor(encoder.states(fitted, reversed), at::kFloat).view({std::ssize(fitted), -1});
    readings.push_back({linear::kmer_values(rows, fitted, model_.counts, reversed, threads), states});
  }
  auto fit = linear::fit_kernel(readings, rows.label_matrix(fitted), rows.folds_of(fitted), rows.type, seed, threads);
  at::Tensor logits = fit.out_of_fold.front();
  if (both) logits = (logits + fit.out_of_fold.back()) / 2;
  out_of_fold_ = {fitted, logits};
  model_.bias.assign(static_cast<size_t>(rows.labels()), 0);
  model_.kernel = std::move(fit.model);
}

std::vector<float> KernelBeside::logits_of(const Rows& rows, bool alone) const {
  const auto labels = static_cast<size_t>(rows_.labels());
  const auto of_strand = [&](bool reversed) {
    return rows::in_row_parts("the kernel model", rows, [&](const Rows& part) {
      auto bases = rows_.bases_of(part);
      if (reversed)
        for (auto& sequence : bases) genome::reverse_complement_in_place(sequence);
      const auto states = encoder_.states(part, reversed);
      const size_t columns = part.empty() ? 0 : states.size() / part.size();
      return session::in_chunks(std::span<const std::string>(bases), static_cast<int64_t>(labels), threads_,
                                [&](auto chunk) {
                                  auto readings = models::readings_of(chunk, reversed);
                                  const auto first = static_cast<size_t>(chunk.data() - bases.data());
                                  for (size_t i = 0; i < readings.size(); ++i) {
                                    const auto begin = states.begin() + static_cast<int64_t>((first + i) * columns);
                                    readings[i].pooled.assign(begin, begin + static_cast<int64_t>(columns));
                                  }
                                  return models::KernelTerm(model_, rows_.anchor(), alone).logits(readings);
                                });
    });
  };
  auto all = of_strand(false);
  if (strands_ != session::Strands::average) return all;
  const auto other = of_strand(true);
  for (size_t i = 0; i < all.size(); ++i) all[i] = (all[i] + other[i]) / 2;
  return all;
}

void KernelBeside::placed() {
  model_.kernel->scale = at::tensor(place()->scale).to(at::kFloat);
  model_.kernel->shift = at::tensor(place()->shift).to(at::kFloat);
  kmers_.set_kernel(*model_.kernel);
  encoder_.keep();
}

void KernelBeside::write(const std::string&, io::Manifest& manifest) const {
  if (place()) manifest.details["kernel_share"] = place()->share;
}

}  // namespace bigdna::training
