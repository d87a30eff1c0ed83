/// Scores of many rows and columns (features) on disk: written row by row, read column by column.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace bigdna::metrics {

/// Memory: `kBlockBytes` of rows that are not written yet. The file is in $TMPDIR (default /tmp), has no name, and
/// disappears with the object.
class ScoreSpill {
 public:
  explicit ScoreSpill(int64_t columns);
  ~ScoreSpill();
  ScoreSpill(ScoreSpill&& other) noexcept;
  ScoreSpill& operator=(ScoreSpill&&) = delete;

  /// Appends whole rows, row-major. Error naming the folder if writing fails (a full disk).
  void append(std::span<const float> rows);
  int64_t rows() const { return rows_; }
  /// All values of a column. Thread-safe once the last row has been appended.
  std::vector<float> column(int64_t column) const;

 private:
  static constexpr int64_t kBlockBytes = 16 << 20;
  void write_block();
  int64_t columns_, block_rows_, rows_ = 0;
  int file_ = -1;
  std::string folder_;
  std::vector<float> pending_;  // rows of the unfinished block
};

}  // namespace bigdna::metrics
