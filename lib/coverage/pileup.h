/// Counts at every base, from intervals in any order, one contig at a time in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "coverage/contigs.h"
#include "coverage/counter.h"
#include "io/temporary_file.h"

namespace bigdna::coverage {

class Pileup final : public CountSink {
 public:
  /// Intervals of more than `memory` bytes are kept in a temporary file beside `target`.
  Pileup(const Contigs& contigs, std::string target, size_t memory = size_t{256} << 20);
  void add(uint32_t contig, int64_t start, int64_t end, int64_t weight) override;
  void add_value(uint32_t contig, int64_t start, int64_t end, float value) override;
  /// Runs of equal value other than 0, in the order of the contigs. To be called once. Memory: 4 bytes for each base of
  /// a contig, 8 if a signal was added.
  void each_run(const std::function<void(uint32_t contig, int64_t start, int64_t end, double value)>& take);

 private:
  struct Event {
    uint32_t start = 0, end = 0;
    float value = 0;  // a weight, or below 0 a signal's negated value
  };
  struct Spilled {
    uint32_t contig = 0;
    int64_t offset = 0, events = 0;
  };
  void put(uint32_t contig, Event event);
  void spill();
  template <class Take>
  void each_event(uint32_t contig, Take take);

  const Contigs& contigs_;
  std::string target_;
  size_t most_events_, events_ = 0;
  std::vector<std::vector<Event>> kept_;  // by contig
  std::vector<bool> valued_;              // contigs with a signal
  io::TemporaryFile file_;
  int64_t bytes_ = 0;  // of it
  std::vector<Spilled> spilled_;
};

}  // namespace bigdna::coverage
