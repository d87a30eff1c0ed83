/// Training, validation and test as territories of the genome: an interval belongs to a split if all of it
/// lies in that split's territory, so overlapping intervals can never be in two splits.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "genome/fasta.h"
#include "genome/interval_set.h"

namespace bigdna::dataset {

enum class Split : uint8_t { train, validation, test };
inline constexpr std::array<Split, 3> kSplits{Split::train, Split::validation, Split::test};
std::string_view split_name(Split split);                   // "train", "validation", "test"
std::optional<Split> split_of_name(std::string_view name);  // nullopt: none of them

class SplitMap {
 public:
  genome::IntervalSet& territory(Split split) { return territories_[static_cast<size_t>(split)]; }
  const genome::IntervalSet& territory(Split split) const { return territories_[static_cast<size_t>(split)]; }
  /// nullopt: the region crosses a border or reaches into a gap.
  std::optional<Split> of(const genome::Region& region) const;

 private:
  std::array<genome::IntervalSet, 3> territories_;
};

struct SplitOptions {
  /// What is tested and validated on: a FRACTION of the rows in whole blocks of the genome drawn by the seed,
  /// CONTIG names joined by commas, or the intervals of a BED file. "0": nothing.
  std::string test = "0.15", validation = "0.1";
  int64_t block = 5'000'000;  // bp; halved until 20 blocks hold a position, or to 20 kb
  int64_t gap = 8000;         // bp left unused between territories; at most a quarter of the block
  /// k-fold: the blocks are divided among this many folds with about as many rows each; `fold` (from 1) is the
  /// test territory in place of `test`. 0: none.
  int64_t folds = 0, fold = 0;
  uint64_t seed = 1;
};

/// "0.15" -> 0.15; nullopt for names of contigs and files, and for numbers of 1 and more ("20" is a contig). UsageError
/// below 0.
std::optional<double> fraction_of(const std::string& text);

/// Whether rows of that split are asked for; `held_out`: the test territory is a model's.
bool has_rows(Split split, const SplitOptions& options, bool held_out);

/// Where the rows of a dataset will lie, contig by contig, ascending (start sites, starts of peaks).
using Positions = std::map<std::string, std::vector<int64_t>>;

/// `held_out`: taken as the test territory in place of options.test (a model's hold-out, --split-like);
/// contig names in the genome's spelling. Where territories meet, training gives way to validation and both
/// to test by `gap`.
SplitMap make_splits(const SplitOptions& options, const std::vector<genome::Contig>& contigs,
                     const Positions& positions, const genome::IntervalSet* held_out = nullptr);

}  // namespace bigdna::dataset
