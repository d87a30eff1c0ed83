#include "mlm/gap_evaluation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "base/log.h"
#include "base/threads.h"
#include "model/parallel.h"
#include "session/gap_model.h"

namespace bigdna::mlm {

HeldOutGaps held_out_gaps(const std::shared_ptr<const corpus::Corpus>& validation,
                          const tokenizer::Vocabulary& vocabulary, corpus::ExampleOptions options, int64_t tokens) {
  if (options.gaps == 0) return {};
  options.gaps = 1;
  options.short_sequence_probability = 0;
  const corpus::ExampleSource source(validation, vocabulary, options);
  HeldOutGaps held_out{std::make_shared<tokenizer::Encoder>(vocabulary), {}};
  for (int64_t i = 0; i < source.size() && i * options.max_length < tokens; ++i)
    if (auto gap = source.gap(0, i)) held_out.gaps.push_back(std::move(*gap));
  return held_out;
}

std::map<std::string, double> gap_metrics(const session::Session& session, const HeldOutGaps& held_out) {
  const session::GapModel model(session, *held_out.encoder, "the model");
  const auto& gaps = held_out.gaps;
  enum : size_t { kBoth, kWithEnd, kShuffled, kLeft, kKinds };
  std::vector<std::array<double, kKinds>> nats(gaps.size());
  const model::OneThreadPerOperation guard;
  log::Progress progress("gaps", gaps.size(), "gaps");
  parallel_for(static_cast<int64_t>(gaps.size()), session.placement().streams(), [&](int64_t i) {
    const auto& gap = gaps[static_cast<size_t>(i)];
    const auto& other = gaps[static_cast<size_t>(i + 1) % gaps.size()];
    const std::span middle(&gap.middle, 1);
    const auto own = model.scores(gap.left, gap.right, middle).front();
    nats[static_cast<size_t>(i)] = {own.of_length, own.with_end,
                                    model.scores(other.left, other.right, middle).front().of_length,
                                    model.left_alone(gap.left, gap.middle)};
    progress.add(1);
  });
  std::array<double, kKinds> sums{};
  double bases = 0;
  for (size_t i = 0; i < gaps.size(); ++i) {
    if (std::ranges::any_of(nats[i], [](double value) { return std::isnan(value); })) continue;
    for (size_t kind = 0; kind < kKinds; ++kind) sums[kind] -= nats[i][kind];
    bases += static_cast<double>(gaps[i].middle.size());
  }
  if (bases == 0) return {};
  const auto bits = [&](size_t kind) { return sums[kind] / std::numbers::ln2 / bases; };
  return {{"held_out_gap_bpc", bits(kBoth)},
          {"held_out_gap_bpc_with_end", bits(kWithEnd)},
          {"held_out_gap_bpc_shuffled", bits(kShuffled)},
          {"held_out_gap_bpc_left", bits(kLeft)}};
}

}  // namespace bigdna::mlm
