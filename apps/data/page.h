/// The output of `info` and `doctor`: titles, and under them rows of a label and a text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "io/output.h"

namespace bigdna::apps {

/// "12.3 kB"
inline std::string bytes_text(uint64_t bytes) { return log::human(static_cast<double>(bytes)) + "B"; }

class Page {
 public:
  template <class... T>
  void title(const T&... parts) {
    text_ += concat(parts..., "\n");
  }
  template <class... T>
  void row(std::string label, const T&... parts) {
    std::replace(label.begin(), label.end(), '_', ' ');
    label.resize(std::max<size_t>(label.size() + 2, 20), ' ');
    text_ += concat("  ", label, parts..., "\n");
  }
  void print() const {
    io::Output output("-");
    output << text_;
    output.commit();
  }

 private:
  std::string text_;
};

}  // namespace bigdna::apps
