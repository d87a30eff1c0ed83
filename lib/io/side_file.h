/// Files that evaluations and predictions write beside their table.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "io/output.h"

namespace bigdna::io {

/// A file beside the table; none for "". It is opened before anything is scored, so that a name that cannot be written
/// to costs no scores.
class SideFile {
 public:
  explicit SideFile(const std::string& path) {
    if (!path.empty()) out_.emplace(path);
  }
  Output* output() { return out_ ? &*out_ : nullptr; }
  void write(std::string_view content) {
    if (!out_) return;
    *out_ << content;
    out_->commit();
  }

 private:
  std::optional<Output> out_;
};

}  // namespace bigdna::io
