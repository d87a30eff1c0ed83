#include "dataset/unit_splits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/rng.h"
#include "base/streams.h"

namespace bigdna::dataset {

namespace {
double fraction_for(const std::string& text, const char* option) {
  if (text == "none") return 0;
  if (const auto fraction = fraction_of(text)) return *fraction;
  throw UsageError(concat(option, " ", text, ": rows without a position in a genome can only be split by a fraction"));
}

/// FNV-1a, because the draw must not depend on the standard library's hash.
uint64_t hash_of(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : text) hash = (hash ^ static_cast<uint8_t>(letter)) * 0x100000001b3;
  return hash;
}

constexpr size_t kLongestName = 40;  // of a unit, in messages

struct Unit {
  uint64_t order;
  std::string_view name;
  std::vector<size_t> rows;
};

/// The units of the rows that `take` accepts, in an order drawn by the seed.
template <class Take>
std::vector<Unit> shuffled(const std::vector<std::string>& units, uint64_t seed, Take take) {
  std::map<std::string_view, std::vector<size_t>> rows;
  for (size_t i = 0; i < units.size(); ++i)
    if (take(i)) rows[units[i]].push_back(i);
  std::vector<Unit> order;
  for (auto& [name, list] : rows) order.push_back({mix({seed, kUnitOrder, hash_of(name)}), name, std::move(list)});
  std::sort(order.begin(), order.end(),
            [](const Unit& a, const Unit& b) { return std::tie(a.order, a.name) < std::tie(b.order, b.name); });
  return order;
}
/// Warns if a split is off by more than half of the fraction of the rows that it was to have, which only a unit of many
/// rows can bring about.
void warn_of_large_unit(const std::vector<Unit>& order, Split split, double asked, double rows, double total,
                        std::string_view kind) {
  if (order.empty() || std::abs(rows - asked * total) <= asked * total / 2) return;
  const auto& largest = *std::ranges::max_element(order, {}, [](const Unit& unit) { return unit.rows.size(); });
  if (largest.rows.size() < 2) return;
  const auto percent = [](double share) { return concat(std::lround(100 * share), " %"); };
  log::warn("the ", split_name(split), " split has ", percent(rows / total), " of the examples, where ", percent(asked),
            " were requested: the ", kind, " '", largest.name.substr(0, kLongestName),
            largest.name.size() > kLongestName ? "...' has " : "' has ",
            percent(static_cast<double>(largest.rows.size()) / total), " of them");
}
}  // namespace

void draw_units(const SplitOptions& options, const std::vector<std::string>& units,
                std::vector<std::optional<Split>>& splits, std::string_view kind) {
  if (all_for_test(options)) {
    for (auto& split : splits) split = Split::test;
    return;
  }
  const double test = fraction_for(options.test, "--test"),
               validation = fraction_for(options.validation, "--validation");
  if (test + validation >= 1)
    throw UsageError(
        concat("--test ", options.test, " and --validation ", options.validation, " leave nothing to train on"));
  const auto order = shuffled(units, options.seed, [&](size_t i) { return !splits[i]; });
  double total = 0, drawn = 0;
  std::array<double, kSplits.size()> rows{};
  for (const auto& unit : order) total += static_cast<double>(unit.rows.size());
  for (const auto& unit : order) {
    const Split split = drawn < test * total                  ? Split::test
                        : drawn < (test + validation) * total ? Split::validation
                                                              : Split::train;
    for (const size_t row : unit.rows) splits[row] = split;
    drawn += static_cast<double>(unit.rows.size());
    rows[static_cast<size_t>(split)] += static_cast<double>(unit.rows.size());
  }
  for (const auto& [split, asked] : {std::pair(Split::test, test), {Split::validation, validation}})
    warn_of_large_unit(order, split, asked, rows[static_cast<size_t>(split)], total, kind);
}

void draw_validation(const SplitOptions& options, const std::vector<std::string>& units,
                     std::vector<std::optional<Split>>& splits, std::string_view kind) {
  const double fraction = fraction_for(options.validation, "--validation");
  const auto order = shuffled(units, options.seed, [&](size_t i) { return splits[i] == Split::train; });
  double total = 0, drawn = 0;
  for (const auto& unit : order) total += static_cast<double>(unit.rows.size());
  for (size_t u = 0; u + 1 < order.size() && drawn < fraction * total; ++u) {  // never all of them
    for (const size_t row : order[u].rows) splits[row] = Split::validation;
    drawn += static_cast<double>(order[u].rows.size());
  }
  warn_of_large_unit(order, Split::validation, fraction, drawn, total, kind);
}

void warn_of_shared_units(const std::vector<std::string>& units, const std::vector<std::optional<Split>>& splits,
                          std::string_view kind) {
  std::set<std::string_view> earlier;
  const auto add = [&](Split split) {
    for (size_t i = 0; i < units.size(); ++i)
      if (splits[i] == split) earlier.insert(units[i]);
  };
  const auto count = [&](Split split, const char* of_earlier) {
    std::set<std::string_view> shared;
    int64_t rows = 0, all = 0;
    for (size_t i = 0; i < units.size(); ++i) {
      if (splits[i] != split) continue;
      ++all;
      if (!earlier.contains(units[i])) continue;
      ++rows;
      shared.insert(units[i]);
    }
    if (rows > 0)
      log::warn(rows, " of ", counted(all, concat(split_name(split), " example")), " belong to ",
                counted(shared.size(), std::string(kind)), " (as '", shared.begin()->substr(0, kLongestName),
                "') with ", of_earlier,
                " examples, because the splits were given: figures of this split may be too good");
  };
  add(Split::train);
  count(Split::validation, "training");
  add(Split::validation);
  count(Split::test, "training or validation");
}

}  // namespace bigdna::dataset
