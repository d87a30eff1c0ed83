#include "training/frozen_states.h"

#include <algorithm>

#include "base/log.h"
#include "base/threads.h"
#include "genome/alphabet.h"
#include "model/parallel.h"

namespace bigdna::training {

bool FrozenStates::fit(int64_t sequences, int64_t columns) {
  constexpr int64_t kMost = int64_t{1} << 30;
  return sequences * columns * static_cast<int64_t>(sizeof(float)) <= kMost;
}

void FrozenStates::add(const std::vector<int64_t>& rows, bool reversed) {
  std::vector<std::pair<int64_t, std::vector<float>*>> missing;
  for (const int64_t row : rows)
    if (const auto [place, is_new] = states_[reversed].try_emplace(row); is_new)
      missing.emplace_back(row, &place->second);
  constexpr int64_t kChunk = session::kPredictionChunk;
  const auto count = static_cast<int64_t>(missing.size()), columns = session_.config().pooled_size();
  const model::OneThreadPerOperation guard;
  log::Progress progress(reversed ? "reading the other strand" : "reading rows", missing.size(), "rows");
  parallel_for((count + kChunk - 1) / kChunk, session_.placement().streams(), [&](int64_t chunk) {
    const int64_t begin = chunk * kChunk, end = std::min(count, begin + kChunk);
    std::vector<corpus::Example> examples;
    for (int64_t i = begin; i < end; ++i) {
      std::string bases = data_.bases(missing[static_cast<size_t>(i)].first);
      if (reversed) genome::reverse_complement_in_place(bases);
      examples.push_back(reader_.example(bases, reversed));
    }
    const auto states = session_.pooled(std::move(examples));
    for (int64_t i = begin; i < end; ++i) {
      const auto first = states.begin() + (i - begin) * columns;
      missing[static_cast<size_t>(i)].second->assign(first, first + columns);
    }
    progress.add(static_cast<uint64_t>(end - begin));
  });
}

std::vector<float> FrozenStates::of(const std::vector<int64_t>& rows, bool reversed) const {
  std::vector<float> all;
  for (const int64_t row : rows) all.insert(all.end(), of(row, reversed).begin(), of(row, reversed).end());
  return all;
}

}  // namespace bigdna::training
