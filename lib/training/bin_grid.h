/// Where the rows of a dataset of bins lie on their genome, and the windows that a network on bases reads them in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rows/task_rows.h"
#include "genome/region.h"

namespace bigdna::training {

/// Whole bins of one contig that a network reads together.
struct Window {
  size_t contig = 0;      // of BinGrid::contigs()
  int64_t first_bin = 0;  // may be negative: bins before the contig's start
};

class BinGrid {
 public:
  struct Contig {
    std::string name;
    int64_t phase = 0;          // bp before bin 0: bin i is [phase + i * bin, phase + (i + 1) * bin)
    int64_t first = 0;          // the bin of rows[0]
    std::vector<int64_t> rows;  // the dataset's row of each bin from `first` on; -1: none
  };

  /// Error if a row is not one bin of `bin` bp, if the bins of a contig do not lie on one grid, or if two rows are the
  /// same bin.
  BinGrid(const rows::TaskRows& data, int64_t bin);

  int64_t bin() const { return bin_; }
  const std::vector<Contig>& contigs() const { return contigs_; }
  /// The dataset's row of a bin, or -1.
  int64_t row(size_t contig, int64_t bin) const;
  /// The place of a row: its contig, and its bin as `first_bin`.
  Window place(int64_t row) const { return places_[static_cast<size_t>(row)]; }
  /// The `bins` bins from `window` on, moved by `shift` bp.
  genome::Region region(const Window& window, int64_t bins, int64_t shift = 0) const;

  /// Windows of `bins` bins that together hold each of `rows` with at least `margin` bins on either side of it; in the
  /// order of the genome.
  std::vector<Window> covering(std::vector<int64_t> rows, int64_t bins, int64_t margin) const;
  /// Windows of `bins` bins, side by side, over all stretches of the contigs that have `rows`, of which the first
  /// begins `bins` before the first row: moved by 0 to bins - 1, they hold every row.
  std::vector<Window> tiling(const std::vector<int64_t>& rows, int64_t bins) const;

 private:
  int64_t bin_;
  std::vector<Contig> contigs_;
  std::vector<Window> places_;
};

}  // namespace bigdna::training
