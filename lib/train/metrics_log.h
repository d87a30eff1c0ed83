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
  /// Opens `path` and, beside it, the event file for appending. Drops lines of steps after `step`, which a resumed run
  /// repeats (everything at step 0), and a half-written last line.
  MetricsLog(std::string path, int64_t step);
  /// Appends a line, which readers see immediately. Error if it cannot be written. In the event file, scalars are named
  /// training/NAME if the line has a loss, else evaluation/NAME.
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
