/// What a task head reads of each row, computed once, for training that leaves the whole encoder as it is.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rows/task_rows.h"
#include "models/task_details.h"

namespace bigdna::training {

class FrozenStates {
 public:
  /// Whether the states of so many sequences, `columns` floats each, are few enough to be kept (1 GiB).
  static bool fit(int64_t sequences, int64_t columns);

  FrozenStates(const session::SequenceReader& reader, const session::Session& session, const rows::TaskRows& data)
      : reader_(reader), session_(session), data_(data) {}

  /// Computes Session::pooled() of these rows (`reversed`: of their reverse complements) that are not there yet, on all
  /// threads.
  void add(const std::vector<int64_t>& rows, bool reversed = false);
  /// Of one row that was added.
  const std::vector<float>& of(int64_t row, bool reversed = false) const { return states_[reversed].at(row); }
  /// Of rows that were added, row-major [rows, columns].
  std::vector<float> of(const std::vector<int64_t>& rows, bool reversed = false) const;

 private:
  const session::SequenceReader& reader_;
  const session::Session& session_;
  const rows::TaskRows& data_;
  std::unordered_map<int64_t, std::vector<float>> states_[2];  // forward, reversed
};

}  // namespace bigdna::training
