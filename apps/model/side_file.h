/// Files that evaluations write beside their table.
#pragma once

#include <optional>
#include <string>

#include "io/output.h"

namespace bigdna::apps {

/// A file beside the table; none for "". It is opened before anything is scored, so that a name that cannot be written
/// to costs no scores.
class SideFile {
 public:
  explicit SideFile(const std::string& path) {
    if (!path.empty()) out_.emplace(path);
  }
  io::Output* output() { return out_ ? &*out_ : nullptr; }
  void write(const std::string& content) {
    if (!out_) return;
    *out_ << content;
    out_->commit();
  }

 private:
  std::optional<io::Output> out_;
};

}  // namespace bigdna::apps
