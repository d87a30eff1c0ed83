/// Names of rows that are given out once.
#pragma once

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"

namespace bigdna::dataset {

/// A row keeps its own name where it is the first to have it and the name has no blanks. No other row is given a name
/// that some row of the input has, if all of these were reserved before: a name then never leads to another row.
class UniqueNames {
 public:
  /// `forbidden`: characters beside blanks that names cannot have.
  explicit UniqueNames(std::string forbidden = "") : forbidden_(std::move(forbidden)) {}
  /// A name of the input.
  void reserve(const std::string& name) { reserved_.insert(name); }

  /// The name, with _ for blanks, control characters and what is forbidden, as FASTA needs it; if that is given out, or
  /// a name of another row, the first of NAME_2, NAME_3 ... that is neither.
  std::string take(const std::string& name) {
    std::string clean = name;
    std::ranges::replace_if(
        clean, [&](char c) { return static_cast<unsigned char>(c) <= ' ' || forbidden_.find(c) != std::string::npos; },
        '_');
    const bool own = clean == name || !reserved_.contains(clean);
    if (own && taken_.insert(clean).second) return noted(name, clean);
    int& copy = next_.try_emplace(clean, 2).first->second;  // stays where it is when others are added
    for (;;)
      if (auto unique = concat(clean, "_", copy++); !reserved_.contains(unique) && taken_.insert(unique).second)
        return noted(name, unique);
  }

  /// Warns of rows whose name was changed, if there are any. `what`: one of them.
  void warn(const std::string& what) const {
    if (changed_ > 0)
      log::warn(counted(changed_, what), changed_ == 1 ? " has" : " have",
                " another name than in the input, because names are unique and without blanks here (the first: ",
                as_written_, ", which was '", as_read_, "')");
  }

 private:
  std::string noted(const std::string& read, const std::string& written) {
    if (read != written && changed_++ == 0) {
      as_read_ = read, as_written_ = written;
      std::ranges::replace_if(
          as_read_, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    }
    return written;
  }

  std::string forbidden_;
  std::unordered_map<std::string, int> next_;  // the number to try next behind a name
  std::unordered_set<std::string> taken_;
  std::unordered_set<std::string> reserved_;
  int64_t changed_ = 0;
  std::string as_read_, as_written_;  // of the first that was changed
};

}  // namespace bigdna::dataset
