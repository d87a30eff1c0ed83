/// How the positions of a table's intervals count: from 0, half-open, as in BED; or from 1, closed, as R writes them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataset/table_rows.h"
#include "io/delimited.h"

namespace bigdna::dataset {

/// Of one file. Positions are 1-based and closed if a column is end - start + 1 in every row that has a value;
/// 0-based and half-open if it is end - start there. A column tells if its name has width, length, len or size in it,
/// in any case, or if its numbers differ. The lengths of sequences tell as such a column would. Where none tells,
/// positions are 1-based if the contigs' column is called seqnames, as that of R's as.data.frame(GRanges), or if the
/// table is featureCounts' or HOMER's, else 0-based.
class TablePositions {
 public:
  /// `contig`: the index of the contigs' column.
  TablePositions(const io::DelimitedReader& reader, size_t contig);
  /// Takes note of a row whose interval is as written.
  void add(const TableRow& row, const std::vector<std::string>& fields);
  /// Makes the intervals of all rows 0-based and half-open, and says so if they were not. Warns of sequences that are
  /// not as long as their intervals. `places`: of each row, FILE:LINE. Errors there: an interval without bases; start
  /// 0 among 1-based positions.
  void settle(std::span<TableRow> rows, std::span<const std::string> places) const;

 private:
  struct Width {                   // what may be the intervals' width
    std::optional<size_t> column;  // unset: the lengths of the sequences
    std::string what;
    bool named = false;
    bool closed = true, half_open = true;  // whether it is that of intervals of this kind in every row
    std::optional<int64_t> first = {};     // its first number
    bool differs = false;                  // there are others
    bool tells() const { return first && (named || differs); }
  };
  std::string path_, contig_;
  std::string_view one_based_;  // what the header says the table is, if its positions count from 1
  std::vector<Width> widths_;
};

}  // namespace bigdna::dataset
