/// How close the held-out rows of a dataset are to its training rows: on the genome, and in sequence.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/splits.h"

namespace bigdna::dataset {

/// Rows are kept as FracMinHash sketches (Irber et al. 2022): of the canonical 21-mers those whose hash is
/// small, about 200 per row (all of short rows). Containment = the share of a row's sketch that one training
/// row has as well.
class Leakage {
 public:
  /// A row whose contig is "." lies nowhere: it has no nearest row.
  void add(const std::string& name, const genome::Region& region, Split split, std::string_view bases);
  /// Writes "#name chrom start end split nearest distance most_similar containment", a row for each
  /// validation and test row: the training row nearest on its contig and the bases between ("." where there
  /// is none), and the one with the greatest containment. Words in more than 500 training rows (repeats) do
  /// not count. `identical`: of each row in the order of add(), the row of another split that has its sequence ("" for none),
  /// written as a last column "identical"; empty: no such column. Reports on stderr how close the test rows are.
  void write(const std::string& path, const std::vector<std::string>& identical = {}) const;

 private:
  struct Row {
    std::string name;
    genome::Region region;
    Split split;
    std::vector<uint64_t> sketch;  // sorted, distinct
  };
  std::vector<Row> rows_;
};

}  // namespace bigdna::dataset
