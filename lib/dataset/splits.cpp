#include "dataset/splits.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/number.h"
#include "base/rng.h"
#include "base/streams.h"
#include "genome/contigs.h"

namespace bigdna::dataset {

namespace {
using genome::IntervalSet;
constexpr std::string_view kNames[] = {"train", "validation", "test"};

int64_t count_in(const Positions& positions, const genome::Region& region) {
  const auto found = positions.find(region.contig);
  if (found == positions.end()) return 0;
  const auto first = std::lower_bound(found->second.begin(), found->second.end(), region.start);
  return std::lower_bound(first, found->second.end(), region.end) - first;
}

/// Blocks of the sequence outside of `taken`, in the order of the genome, without those that hold no position.
std::vector<genome::Region> occupied_blocks(int64_t block, const std::vector<genome::Contig>& contigs,
                                            const Positions& positions, const IntervalSet& taken) {
  std::vector<genome::Region> blocks;
  for (const auto& contig : contigs) {
    const auto found = positions.find(contig.name);
    if (found == positions.end()) continue;
    for (const auto& [start, end] : taken.gaps(contig.name, contig.length))
      for (auto position = std::ranges::lower_bound(found->second, start);
           position != found->second.end() && *position < end;) {
        const int64_t at = start + (*position - start) / block * block;
        blocks.push_back({contig.name, at, std::min(at + block, end), '.'});
        position = std::ranges::lower_bound(found->second, blocks.back().end);
      }
  }
  return blocks;
}

/// Blocks drawn by the seed until they hold `fraction` of all positions, but never all blocks.
IntervalSet draw_blocks(double fraction, int64_t block, const std::vector<genome::Contig>& contigs,
                        const Positions& positions, const IntervalSet& taken, uint64_t seed) {
  int64_t total = 0, drawn_positions = 0;
  for (const auto& [contig, list] : positions) total += static_cast<int64_t>(list.size());
  const double wanted = fraction * static_cast<double>(total);
  auto blocks = occupied_blocks(block, contigs, positions, taken);
  Rng rng(seed, kSplitBlocks);
  rng.shuffle(blocks);
  IntervalSet drawn;
  for (size_t i = 0; i + 1 < blocks.size() && static_cast<double>(drawn_positions) < wanted; ++i) {
    drawn.add(blocks[i]);
    drawn_positions += count_in(positions, blocks[i]);
  }
  return drawn;
}

/// Fold `fold` (from 1) of `folds`: each of the shuffled blocks goes to the fold with the fewest positions so far.
IntervalSet fold_blocks(int64_t fold, int64_t folds, int64_t block, const std::vector<genome::Contig>& contigs,
                        const Positions& positions, uint64_t seed) {
  auto blocks = occupied_blocks(block, contigs, positions, {});
  if (static_cast<int64_t>(blocks.size()) < folds)
    fail("--folds ", folds, ": only ", counted(blocks.size(), "block"), " of ", block, " bp ",
         blocks.size() == 1 ? "holds" : "hold", " examples");
  Rng rng(seed, kFoldBlocks);
  rng.shuffle(blocks);
  std::vector<int64_t> held(static_cast<size_t>(folds), 0);
  IntervalSet drawn;
  for (const auto& region : blocks) {
    const auto least = std::min_element(held.begin(), held.end());
    *least += count_in(positions, region);
    if (least - held.begin() + 1 == fold) drawn.add(region);
  }
  return drawn;
}

/// Every interval grown by `by` on both sides.
IntervalSet grown(const IntervalSet& set, int64_t by) {
  IntervalSet result;
  for (const auto& [contig, intervals] : set.contigs())
    for (const auto& [start, end] : intervals) result.add(contig, std::max<int64_t>(0, start - by), end + by);
  return result;
}
}  // namespace

std::string_view split_name(Split split) { return kNames[static_cast<size_t>(split)]; }

std::optional<Split> split_of_name(std::string_view name) {
  for (const Split split : kSplits)
    if (split_name(split) == name) return split;
  return std::nullopt;
}

std::optional<double> fraction_of(const std::string& text) {
  const auto value = parse_number<double>(text);
  if (!value || *value >= 1) return std::nullopt;
  if (*value < 0) throw UsageError(concat("a fraction of the genome cannot be ", text));
  return value;
}

std::optional<Split> SplitMap::of(const genome::Region& region) const {
  for (const Split split : kSplits)
    if (territory(split).covers(region)) return split;
  return std::nullopt;
}

std::vector<std::string> files_of(const SplitOptions& options) {
  std::vector<std::string> files;
  std::error_code none;  // such as a list of contigs that is longer than a file's name may be
  for (const auto& choice : {options.test, options.validation})
    if (!fraction_of(choice) && std::filesystem::is_regular_file(choice, none)) files.push_back(choice);
  return files;
}

bool all_for_test(const SplitOptions& options) {
  if (options.test != "all") return false;
  if (options.validation != SplitOptions().validation && options.validation != "none" &&
      fraction_of(options.validation) != 0.0)
    throw UsageError(concat("--validation ", options.validation, ": --test all leaves nothing to validate on"));
  return true;
}

bool has_rows(Split split, const SplitOptions& options, bool held_out) {
  if (!held_out && !options.folds && all_for_test(options)) return split == Split::test;
  if (split == Split::train || (split == Split::test && (held_out || options.folds))) return true;
  const auto& choice = split == Split::test ? options.test : options.validation;
  return choice != "none" && fraction_of(choice) != 0.0;
}

SplitMap make_splits(const SplitOptions& options, const std::vector<genome::Contig>& contigs,
                     const Positions& positions, const IntervalSet* held_out) {
  constexpr int64_t kLeastBlock = 20'000;
  const IntervalSet nothing;
  SplitMap splits;
  if (!held_out && !options.folds && all_for_test(options)) {
    splits.territory(Split::test) = genome::all_of(contigs);
    return splits;
  }
  int64_t block = options.block;
  while (block > kLeastBlock && occupied_blocks(block, contigs, positions, held_out ? *held_out : nothing).size() < 20)
    block /= 2;
  const auto draws = [](const std::string& choice) { return fraction_of(choice).value_or(0) > 0; };
  const bool drawn = options.folds || draws(options.validation) || (!held_out && draws(options.test));
  const int64_t gap = drawn ? std::min(options.gap, block / 4) : options.gap;
  if (gap < options.gap)
    log::info("splits are ", gap, " bp apart, not ", options.gap, ": a quarter of the blocks of ", block,
              " bp that the fractions are drawn in");
  auto choose = [&](const std::string& choice, const IntervalSet& taken, uint64_t stream) -> IntervalSet {
    const auto fraction = fraction_of(choice);
    if (!fraction) return without(genome::held_out(choice, contigs, options.seed), taken);
    if (*fraction == 0) return {};
    return draw_blocks(*fraction, block, contigs, positions, taken, mix({options.seed, stream}));
  };
  const double asked = options.folds || held_out ? 0 : fraction_of(options.test).value_or(0);
  if (asked + fraction_of(options.validation).value_or(0) >= 1)
    throw UsageError(
        concat("--test ", options.test, " and --validation ", options.validation, " leave nothing to train on"));
  const IntervalSet test = held_out ? *held_out
                           : options.folds
                               ? fold_blocks(options.fold, options.folds, block, contigs, positions, options.seed)
                               : choose(options.test, {}, 1);
  const IntervalSet validation = choose(options.validation, test, 2 + static_cast<uint64_t>(options.fold));
  if (validation.empty() && !fraction_of(options.validation) && options.validation != "none")
    fail("--validation ", options.validation, ": all of it is in the test split");
  splits.territory(Split::test) = test;
  splits.territory(Split::validation) = without(validation, grown(test, gap));
  IntervalSet reserved = grown(test, gap);
  reserved.add(grown(validation, gap));
  splits.territory(Split::train) = without(genome::all_of(contigs), reserved);
  return splits;
}

}  // namespace bigdna::dataset
