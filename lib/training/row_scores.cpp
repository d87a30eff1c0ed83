#include "training/row_scores.h"

#include <algorithm>
#include <unordered_map>

#include "base/threads.h"
#include "model/parallel.h"

namespace bigdna::training {

std::vector<float> row_logits(const models::Network& model, const rows::TaskRows& data, const BinGrid& grid,
                              const std::vector<int64_t>& rows, session::Strands strands) {
  const int64_t bins = model.bins(), margin = model.margin(), labels = model.config().labels;
  const auto windows = grid.covering(rows, bins, margin);
  std::unordered_map<int64_t, size_t> slot;  // of a row in the result
  for (size_t i = 0; i < rows.size(); ++i) slot.emplace(rows[i], i);
  std::vector<float> all(rows.size() * static_cast<size_t>(labels));
  const model::OneThreadPerOperation guard;
  parallel_for(static_cast<int64_t>(windows.size()), model.placement().streams(), [&](int64_t w) {
    const Window& window = windows[static_cast<size_t>(w)];
    const auto values = model.logits(data.sequence(grid.region(window, bins)), strands);
    for (int64_t b = margin; b < bins - margin; ++b) {
      const auto found = slot.find(grid.row(window.contig, window.first_bin + b));
      if (found != slot.end())
        std::copy_n(values.begin() + b * labels, labels, all.begin() + static_cast<int64_t>(found->second) * labels);
    }
  });
  return all;
}

}  // namespace bigdna::training
