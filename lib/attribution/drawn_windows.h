/// A sample of the windows of a stream whose length is not known.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"

namespace bigdna::attribution {

/// Keeps up to `most` windows of bases: those whose number has the lowest hash with the seed.
class DrawnWindows {
 public:
  DrawnWindows(int64_t most, uint64_t seed) : most_(static_cast<size_t>(most)), seed_(seed) {}
  void add(const std::string& bases) {
    const int64_t number = seen_++;
    const uint64_t hash = mix({seed_, static_cast<uint64_t>(number)});
    if (most_ == 0 || (kept_.size() == most_ && hash >= std::prev(kept_.end())->first)) return;
    kept_[hash] = {number, bases};
    if (kept_.size() > most_) kept_.erase(std::prev(kept_.end()));
  }
  int64_t seen() const { return seen_; }
  /// Those kept, in the order of the stream.
  std::vector<std::string> windows() && {
    std::map<int64_t, std::string> by_number;
    for (auto& [hash, entry] : kept_) by_number[entry.first] = std::move(entry.second);
    std::vector<std::string> all;
    for (auto& [number, bases] : by_number) all.push_back(std::move(bases));
    return all;
  }

 private:
  size_t most_;
  uint64_t seed_;
  int64_t seen_ = 0;
  std::map<uint64_t, std::pair<int64_t, std::string>> kept_;  // by hash
};

}  // namespace bigdna::attribution
