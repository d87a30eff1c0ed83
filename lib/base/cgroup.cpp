#include "base/cgroup.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

namespace bigdna {
namespace {

struct Group {
  std::string folder;
  bool v2 = false;
};

/// The folders of this process's groups under `controller`, and of the groups above them. A container often sees its
/// own group as the root although its membership still has the host's path, so folders that do not exist are left out.
std::vector<Group> groups(const CgroupFiles& files, const std::string& controller) {
  std::vector<Group> found;
  std::ifstream in(files.membership);
  for (std::string line; std::getline(in, line);) {  // "4:memory:/slurm/job_1" (v1), "0::/user.slice" (v2)
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool v2 = controllers.empty();
    if (!v2 && ("," + controllers + ",").find("," + controller + ",") == std::string::npos) continue;
    std::string root = files.root;
    if (!v2)
      root += "/" + controller;
    else if (std::filesystem::exists(files.root + "/unified"))
      root += "/unified";
    for (std::filesystem::path path = line.substr(second + 1);; path = path.parent_path()) {
      const std::string folder = root + (path == "/" ? "" : path.string());
      if (std::filesystem::is_directory(folder)) found.push_back({folder, v2});
      if (path.empty() || path == path.root_path()) break;
    }
  }
  return found;
}

/// The numbers at the beginning of a file, up to anything else ("max").
std::vector<double> numbers(const std::string& path) {
  std::ifstream in(path);
  std::vector<double> values;
  for (double value; in >> value;) values.push_back(value);
  return values;
}

}  // namespace

std::optional<double> cgroup_processors(const CgroupFiles& files) {
  std::optional<double> least;
  for (const auto& [folder, v2] : groups(files, "cpu")) {
    // Microseconds in each period; -1 in v1 means that there is no quota.
    std::vector<double> quota = numbers(folder + (v2 ? "/cpu.max" : "/cpu.cfs_quota_us"));
    if (!v2)
      for (const double period : numbers(folder + "/cpu.cfs_period_us")) quota.push_back(period);
    if (quota.size() == 2 && quota[0] > 0 && quota[1] > 0) least = std::min(least.value_or(1e9), quota[0] / quota[1]);
  }
  return least;
}

std::optional<MemoryBound> cgroup_memory(const CgroupFiles& files) {
  constexpr double kUnbounded = 1LL << 60;  // v1 writes a number near 2^63 for "no limit"
  std::optional<MemoryBound> least;
  for (const auto& [folder, v2] : groups(files, "memory")) {
    const auto limit = numbers(folder + (v2 ? "/memory.max" : "/memory.limit_in_bytes"));
    const auto used = numbers(folder + (v2 ? "/memory.current" : "/memory.usage_in_bytes"));
    if (limit.empty() || used.empty() || limit[0] >= kUnbounded) continue;
    const MemoryBound bound{static_cast<uint64_t>(limit[0]), static_cast<uint64_t>(used[0])};
    if (!least || bound.left() < least->left()) least = bound;
  }
  return least;
}

}  // namespace bigdna
