#include "metrics/score_spill.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/error.h"
#include "io/write_all.h"

namespace bigdna::metrics {

ScoreSpill::ScoreSpill(int64_t columns)
    : columns_(columns), block_rows_(std::max<int64_t>(1, kBlockBytes / (4 * std::max<int64_t>(1, columns)))) {
  const char* folder = std::getenv("TMPDIR");
  folder_ = folder && *folder ? folder : "/tmp";
  std::string name = folder_ + "/bigdna-scores-XXXXXX";
  file_ = mkstemp(name.data());
  if (file_ < 0) fail(folder_, ": ", errno_text(errno), " (TMPDIR names another folder for temporary files)");
  unlink(name.c_str());
}
ScoreSpill::~ScoreSpill() {
  if (file_ >= 0) close(file_);
}
ScoreSpill::ScoreSpill(ScoreSpill&& other) noexcept
    : columns_(other.columns_),
      block_rows_(other.block_rows_),
      rows_(other.rows_),
      file_(std::exchange(other.file_, -1)),
      folder_(std::move(other.folder_)),
      pending_(std::move(other.pending_)) {}

void ScoreSpill::append(std::span<const float> rows) {
  const auto width = static_cast<size_t>(columns_);
  if (rows.size() % width) fail(rows.size(), " scores are not whole rows of ", columns_);
  for (size_t i = 0; i < rows.size(); i += width) {
    pending_.insert(pending_.end(), rows.begin() + static_cast<int64_t>(i),
                    rows.begin() + static_cast<int64_t>(i + width));
    if (++rows_ % block_rows_ == 0) write_block();
  }
}

void ScoreSpill::write_block() {
  const auto width = static_cast<size_t>(columns_), height = static_cast<size_t>(block_rows_);
  std::vector<float> turned(pending_.size());  // column after column
  for (size_t row = 0; row < height; ++row)
    for (size_t column = 0; column < width; ++column) turned[column * height + row] = pending_[row * width + column];
  pending_.clear();
  if (const int error_number = io::write_all(file_, std::span<const float>(turned)))
    fail(folder_, ": ", errno_text(error_number), " (TMPDIR names another folder for temporary files)");
}

std::vector<float> ScoreSpill::column(int64_t column) const {
  std::vector<float> values(static_cast<size_t>(rows_));
  const int64_t blocks = rows_ / block_rows_;
  for (int64_t block = 0; block < blocks; ++block) {
    const std::span<char> into(reinterpret_cast<char*>(values.data() + block * block_rows_),
                               static_cast<size_t>(block_rows_) * sizeof(float));
    const off_t from = (block * columns_ + column) * block_rows_ * static_cast<off_t>(sizeof(float));
    if (const int error_number = io::read_all(file_, into, from))
      fail(folder_, ": ", errno_text(error_number), ": scores cannot be read back");
  }
  for (int64_t row = blocks * block_rows_; row < rows_; ++row)
    values[static_cast<size_t>(row)] = pending_[static_cast<size_t>((row - blocks * block_rows_) * columns_ + column)];
  return values;
}

}  // namespace bigdna::metrics
