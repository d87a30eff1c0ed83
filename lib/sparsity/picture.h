/// A layout's pairs of blocks, by the part of the pattern that each belongs to, as coloured in the paper's figures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sparsity/pattern.h"

namespace bigdna::sparsity {

/// `other`: attended for another reason (full attention, spans of Sparse Transformer and BlockBERT).
enum class PictureCell : uint8_t { none, global, window, random, other };

/// [blocks * blocks], row = query block, for the layout that make_layout(config, place) gives. A pair that
/// belongs to several parts counts as global before window before random.
std::vector<PictureCell> cells(const PatternConfig& config, const Place& place);
/// One line per query block, one letter per key block: "G" global, "W" window, "R" random, "x" other, "." none.
std::string text(const std::vector<PictureCell>& cells, int64_t blocks);

}  // namespace bigdna::sparsity
