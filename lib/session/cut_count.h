/// How many of the sequences that a model read were too long for it.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/counted.h"
#include "base/log.h"

namespace bigdna::session {

/// Counted by several threads at the same time. A sequence that is read several times counts each time.
class CutCount {
 public:
  void add(bool cut) {
    ++read_;
    cut_ += cut;
  }
  int64_t cut() const { return cut_; }
  /// Warns if there were any: "2 of 14 sequences read: HOW".
  void report(const std::string& how) const {
    if (cut_) log::warn(cut_, " of ", counted(read_.load(), "sequence"), " read: ", how);
  }

 private:
  std::atomic<int64_t> read_{0}, cut_{0};
};

}  // namespace bigdna::session
