#include "base/cgroup.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support.h"

namespace bigdna {
namespace {

namespace fs = std::filesystem;

class Cgroup : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text << "\n";
  }
  const test::TempDir folder;
  const fs::path root = folder.path();
  const CgroupFiles files{root / "self", root / "cgroup"};
};

TEST_F(Cgroup, Version2TakesTheLowestLimitOfItsGroupAndThoseAbove) {
  write("self", "0::/slurm/job_1");
  write("cgroup/cgroup.controllers", "cpu memory");
  write("cgroup/slurm/cpu.max", "150000 100000");
  write("cgroup/slurm/job_1/cpu.max", "max 100000");
  write("cgroup/slurm/memory.max", "1000");
  write("cgroup/slurm/memory.current", "900");
  write("cgroup/slurm/job_1/memory.max", "500");
  write("cgroup/slurm/job_1/memory.current", "100");
  EXPECT_EQ(cgroup_processors(files), 1.5);
  ASSERT_TRUE(cgroup_memory(files));
  EXPECT_EQ(cgroup_memory(files)->limit, 1000u);
  EXPECT_EQ(cgroup_memory(files)->left(), 100u);
}

TEST_F(Cgroup, Version1) {
  write("self", "9:name=systemd:/\n4:cpu,cpuacct:/job\n3:memory:/job\n0::/");
  write("cgroup/cpu/job/cpu.cfs_quota_us", "300000");
  write("cgroup/cpu/job/cpu.cfs_period_us", "100000");
  write("cgroup/cpu/cpu.cfs_quota_us", "-1");
  write("cgroup/cpu/cpu.cfs_period_us", "100000");
  write("cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  write("cgroup/memory/memory.usage_in_bytes", "1");
  write("cgroup/memory/job/memory.limit_in_bytes", "2000");
  write("cgroup/memory/job/memory.usage_in_bytes", "2500");
  EXPECT_EQ(cgroup_processors(files), 3.0);
  ASSERT_TRUE(cgroup_memory(files));
  EXPECT_EQ(cgroup_memory(files)->left(), 0u);
}

TEST_F(Cgroup, AContainerThatSeesItsOwnGroupAsTheRoot) {
  write("self", "0::/docker/abc");
  write("cgroup/cpu.max", "50000 100000");
  EXPECT_EQ(cgroup_processors(files), 0.5);
}

TEST_F(Cgroup, NoLimit) {
  EXPECT_FALSE(cgroup_processors(files));
  write("self", "0::/");
  write("cgroup/cpu.max", "max 100000");
  write("cgroup/memory.max", "max");
  write("cgroup/memory.current", "5");
  EXPECT_FALSE(cgroup_processors(files));
  EXPECT_FALSE(cgroup_memory(files));
}

}  // namespace
}  // namespace bigdna
