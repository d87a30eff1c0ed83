/// metrics.jsonl: one JSON object per line, appended while training runs; and the same values for TensorBoard.
#pragma once

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "train/event_file.h"

namespace bigdna::train {

class MetricsLog {
 public:
  /// Opens `path` and, beside it, the event file for appending, dropping lines of steps after `step` (a resumed run takes
  /// those again; at step 0 everything) and a last line that a killed run left half-written.
  MetricsLog(std::string path, int64_t step);
  /// Appends a line, which readers see at once. Error if it cannot be written. Scalars of the event file are named
  /// training/NAME in lines that have a loss, else evaluation/NAME.
  void write(const nlohmann::ordered_json& values);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  EventFile events_;
};

}  // namespace bigdna::train
