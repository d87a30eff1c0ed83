/// Splits of rows without a position in a genome: whole units (a group, a sequence) go to one split.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/splits.h"

namespace bigdna::dataset {

/// Draws whole units of the rows that have no split (nullopt) until they hold the fractions of these rows that
/// `options` asks for (all: every row is for testing), first for test, then for validation; the rest is for training.
/// `units[i]` is the unit of row i. UsageError if --test or --validation is not a fraction, or if they leave nothing to
/// train on. The draw does not depend on the order of rows. Warns where a unit (`kind`: what it is, for messages) has
/// so many rows that a split is off by more than half of its fraction.
void draw_units(const SplitOptions& options, const std::vector<std::string>& units,
                std::vector<std::optional<Split>>& splits, std::string_view kind = "group");

/// Moves units of training rows, drawn in the same way, to validation.
void draw_validation(const SplitOptions& options, const std::vector<std::string>& units,
                     std::vector<std::optional<Split>>& splits, std::string_view kind = "group");

/// Where the splits were given and not drawn: warns of units of validation rows that have training rows, and of units
/// of test rows that have training or validation rows, and counts those rows, on which figures may be too good. No
/// warning if there are none.
void warn_of_shared_units(const std::vector<std::string>& units, const std::vector<std::optional<Split>>& splits,
                          std::string_view kind = "group");

}  // namespace bigdna::dataset
