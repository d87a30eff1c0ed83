#include "train/metrics_log.h"

#include <cerrno>
#include <filesystem>
#include <limits>
#include <string_view>

#include "base/error.h"
#include "io/json.h"
#include "io/output.h"

namespace bigdna::train {

namespace {
/// The step of a line; of one that is not a JSON object with a step, later than any.
int64_t step_of(std::string_view line) {
  try {
    return io::parse_json(line, "").value("step", int64_t{0});
  } catch (const std::exception&) {
    return std::numeric_limits<int64_t>::max();
  }
}
}  // namespace

MetricsLog::MetricsLog(std::string path, int64_t step)
    : path_(std::move(path)), events_((std::filesystem::path(path_).parent_path() / kEventFileName).string(), step) {
  if (step == 0) {
    std::filesystem::remove(path_);
  } else if (std::filesystem::exists(path_)) {
    const std::string content = io::read_file(path_);
    std::string kept;
    for (size_t begin = 0; begin < content.size();) {
      const size_t end = content.find('\n', begin);
      if (end == std::string::npos) break;
      const auto line = std::string_view(content).substr(begin, end + 1 - begin);
      if (step_of(line) <= step) kept += line;
      begin = end + 1;
    }
    if (kept != content) io::write_file(path_, kept);
  }
  file_.reset(io::open_to_append(path_));
}

void MetricsLog::write(const nlohmann::ordered_json& values) {
  const std::string line = values.dump() + "\n";
  if (std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size() || std::fflush(file_.get()) != 0)
    fail(path_, ": ", errno_text(errno));
  std::vector<std::pair<std::string, double>> scalars;
  for (const auto& [name, value] : values.items())
    if (value.is_number() && name != "step")
      scalars.emplace_back((values.contains("loss") ? "training/" : "evaluation/") + name, value.get<double>());
  events_.write(values.at("step"), scalars);
}

}  // namespace bigdna::train
