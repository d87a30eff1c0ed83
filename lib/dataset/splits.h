/// Training, validation and test as territories of the genome. An interval belongs to a split if all of it lies in the
/// split's territory, so overlapping intervals are never in different splits.
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
std::optional<Split> split_of_name(std::string_view name);  // nullopt for other names

class SplitMap {
 public:
  genome::IntervalSet& territory(Split split) { return territories_[static_cast<size_t>(split)]; }
  const genome::IntervalSet& territory(Split split) const { return territories_[static_cast<size_t>(split)]; }
  /// The region's split; nullopt if it crosses a border or reaches into a gap.
  std::optional<Split> of(const genome::Region& region) const;

 private:
  std::array<genome::IntervalSet, 3> territories_;
};

struct SplitOptions {
  /// What is used for test and validation: a FRACTION of the rows, in whole blocks of the genome drawn by the seed,
  /// names of contigs joined by commas, or the intervals of a BED file. "0" for nothing. test "all": every row, of a
  /// dataset that models are only evaluated on.
  std::string test = "0.15", validation = "0.1";
  int64_t block = 5'000'000;  // bp; halved until 20 blocks hold a position, and down to about 20 kb
  int64_t gap = 8000;         // bp left unused between territories; at most a quarter of the block
  /// Cross-validation: the blocks are divided into this many folds with about as many rows each, and `fold` (from 1) is
  /// the test territory instead of `test`. 0 for none.
  int64_t folds = 0, fold = 0;
  uint64_t seed = 1;
};

/// "0.15" -> 0.15; nullopt for names of contigs and files, and for numbers of 1 and more ("20" is a contig). UsageError
/// below 0.
std::optional<double> fraction_of(const std::string& text);

/// The BED files that the options name, for manifests.
std::vector<std::string> files_of(const SplitOptions& options);

/// Whether all rows are for testing. UsageError if some are asked for validation, too.
bool all_for_test(const SplitOptions& options);

/// Whether the options ask for rows of that split. `held_out`: the test territory is a model's hold-out.
bool has_rows(Split split, const SplitOptions& options, bool held_out);

/// Where the rows of a dataset will lie, contig by contig, ascending (start sites, starts of peaks).
using Positions = std::map<std::string, std::vector<int64_t>>;

/// `held_out`, under the genome's contig names, replaces options.test as the test territory (a model's hold-out,
/// --split-like). Where territories meet, the gap is taken from training rather than validation, and from these rather
/// than test.
SplitMap make_splits(const SplitOptions& options, const std::vector<genome::Contig>& contigs,
                     const Positions& positions, const genome::IntervalSet* held_out = nullptr);

}  // namespace bigdna::dataset
