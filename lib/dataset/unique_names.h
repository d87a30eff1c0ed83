/// Names of rows that are given out once.
#pragma once

#include <string>
#include <unordered_map>

#include "base/error.h"

namespace bigdna::dataset {

class UniqueNames {
 public:
  /// The name or, if it has been given out, the first of NAME_2, NAME_3 ... that has not.
  std::string take(const std::string& name) {
    const auto [found, is_new] = next_.try_emplace(name, 2);
    if (is_new) return name;
    int& copy = found->second;  // stays where it is when others are added
    for (;;)
      if (auto unique = concat(name, "_", copy++); next_.try_emplace(unique, 2).second) return unique;
  }

 private:
  std::unordered_map<std::string, int> next_;  // a name that is taken -> the next number to try behind it
};

}  // namespace bigdna::dataset
