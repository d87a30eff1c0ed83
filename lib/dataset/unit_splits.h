/// Splits of rows that lie nowhere on a genome: whole units (a group, a sequence) go to one split.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataset/splits.h"

namespace bigdna::dataset {

/// Draws whole units of the rows that have no split (nullopt) until they hold the fraction of these rows that `options` asks for,
/// test first, then validation; the rest is for training. `units[i]` names row i's. UsageError where --test or --validation
/// is no fraction, or they leave nothing to train on. The same units whatever the order of the rows.
void draw_units(const SplitOptions& options, const std::vector<std::string>& units, std::vector<std::optional<Split>>& splits);

/// Moves units of training rows, drawn in the same way, to validation.
void draw_validation(const SplitOptions& options, const std::vector<std::string>& units, std::vector<std::optional<Split>>& splits);

}  // namespace bigdna::dataset
