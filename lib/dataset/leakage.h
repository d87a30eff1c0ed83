/// How close the held-out rows of a dataset are to its training rows: on the genome, and in sequence.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/splits.h"

namespace bigdna::dataset {

/// Rows are kept as FracMinHash sketches (Irber et al. 2022): their canonical 21-mers with a small hash, about 200 per
/// row (all of them in short rows). Containment is the share of a row's sketch that a training row also has.
class Leakage {
 public:
  /// Adds a row. One whose contig is "." has no position, and so no nearest row.
  void add(const std::string& name, const genome::Region& region, Split split, std::string_view bases);
  /// Writes "#name chrom start end split nearest distance most_similar containment" with a row for each validation and
  /// test row: the nearest training row on its contig and the number of bases between them ("." if there is none), and
  /// the training row with the greatest containment. K-mers in more than 500 training rows (repeats) do not count.
  /// `identical`, if not empty, becomes a last column of that name: for each row in the order of add(), the row of
  /// another split with the same sequence, or "". Logs how close the test rows are.
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

/// Says how many rows of a split have the sequence of a row of an earlier split, and how many of them other labels.
void log_leaks(Split split, int64_t count, int64_t with_other_labels, bool dropped);

}  // namespace bigdna::dataset
