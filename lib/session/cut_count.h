/// How many of the sequences that a model read were too long for it.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

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
  /// Warns if there were any: "sequences HOW (1 of the 2 times that one was read)".
  void report(const std::string& how) const {
    if (cut_) log::warn("sequences ", how, " (", cut_, " of the ", read_, " times that one was read)");
  }

 private:
  std::atomic<int64_t> read_{0}, cut_{0};
};

}  // namespace bigdna::session
