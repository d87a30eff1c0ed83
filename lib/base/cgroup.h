/// What the control groups of this process allow (Linux; containers, Slurm, systemd): cgroup v2 and v1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace bigdna {

/// Where the kernel reports control groups; tests give folders of their own.
struct CgroupFiles {
  std::string membership = "/proc/self/cgroup", root = "/sys/fs/cgroup";
};

/// The CPU quota, in processors (1.5 is one and a half): the lowest of this process's group and the groups above it.
/// nullopt if there is no quota.
std::optional<double> cgroup_processors(const CgroupFiles& files = {});

struct MemoryBound {
  uint64_t limit = 0, used = 0;  // bytes
  uint64_t left() const { return limit > used ? limit - used : 0; }
};
/// The memory limit that leaves the least, among this process's group and the groups above it. nullopt if there is
/// none.
std::optional<MemoryBound> cgroup_memory(const CgroupFiles& files = {});

}  // namespace bigdna
