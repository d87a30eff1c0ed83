/// Gaps in sequences, filled by a causal model that was trained with gaps.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "prediction/fill_options.h"

namespace bigdna::prediction {

/// Bases of a record, 0-based and half-open.
struct Stretch {
  int64_t start = 0, end = 0;
  bool operator==(const Stretch&) const = default;
};
/// The runs of N in normalised bases.
std::vector<Stretch> runs_of_n(std::string_view bases);

/// Writes the FASTA with runs of N, or regions, replaced by what the model draws between their flanks, in lower case
/// (session::GapModel). Each is filled by itself: its flanks are those of the input. Also a table with a row for each
/// gap, which for regions has the bits of what stood there. Columns: docs/commands/fill.md.
void fill(const FillOptions& options);

}  // namespace bigdna::prediction
