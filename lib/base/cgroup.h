/// What the control groups of this process allow (Linux; containers, Slurm, systemd): cgroup v2 and v1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace bigdna {

/// Where the kernel says it; tests give folders of their own.
struct CgroupFiles {
  std::string membership = "/proc/self/cgroup", root = "/sys/fs/cgroup";
};

/// Processors, as a share of time: 1.5. The least of this process's group and the groups above it; nullopt: no bound.
std::optional<double> cgroup_processors(const CgroupFiles& files = {});

struct MemoryBound {
  uint64_t limit = 0, used = 0;  // bytes
  uint64_t left() const { return limit > used ? limit - used : 0; }
};
/// Of this process's group and those above it, the one with the least left; nullopt: no bound.
std::optional<MemoryBound> cgroup_memory(const CgroupFiles& files = {});

}  // namespace bigdna
