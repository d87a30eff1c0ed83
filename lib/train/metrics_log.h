/// metrics.jsonl: one JSON object a line, appended while training runs.
#pragma once

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

namespace bigdna::train {

class MetricsLog {
 public:
  /// Opens for appending, dropping lines of steps after `step` (a resumed run takes those again) and a last line
  /// that a killed run left half-written.
  MetricsLog(std::string path, int64_t step);
  /// Appends a line, at once visible to readers. Error where it cannot be written.
  void write(const nlohmann::ordered_json& values);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace bigdna::train
