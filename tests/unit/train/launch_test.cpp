#include "train/launch.h"

#include <gtest/gtest.h>

#include <map>

#include "base/error.h"

namespace bigdna::train {
namespace {

RankLaunch read(const std::map<std::string, std::string>& variables) {
  return read_launch([&](const char* name) {
    const auto at = variables.find(name);
    return at == variables.end() ? "" : at->second;
  });
}

void expect(const RankLaunch& launch, int rank, int size, int local_rank, const std::string& address, int port) {
  EXPECT_EQ(launch.rank, rank);
  EXPECT_EQ(launch.size, size);
  EXPECT_EQ(launch.local_rank, local_rank);
  EXPECT_EQ(launch.address, address);
  EXPECT_EQ(launch.port, port);
}

TEST(RankLaunch, NothingSetIsOneProcess) {
  EXPECT_EQ(read({}).size, 1);
  EXPECT_EQ(read({{"RANK", "0"}, {"WORLD_SIZE", "1"}}).size, 1);
  // A batch script runs its lines in a step of one task, whatever it asked for.
  EXPECT_EQ(read({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}).size, 1);
}

TEST(RankLaunch, Torchrun) {
  const RankLaunch launch = read({{"RANK", "3"},
                                  {"WORLD_SIZE", "4"},
                                  {"LOCAL_RANK", "1"},
                                  {"LOCAL_WORLD_SIZE", "2"},
                                  {"MASTER_ADDR", "node7"},
                                  {"MASTER_PORT", "2950"},
                                  {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                                  {"TORCHELASTIC_RESTART_COUNT", "2"}});
  expect(launch, 3, 4, 1, "node7", 2950);
  EXPECT_TRUE(launch.listener);
  EXPECT_EQ(launch.attempt, 2);
  EXPECT_FALSE(read({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "127.0.0.1"}}).listener);
}

TEST(RankLaunch, Srun) {
  const std::map<std::string, std::string> variables{{"SLURM_PROCID", "5"},       {"SLURM_STEP_NUM_TASKS", "8"},
                                                     {"SLURM_LOCALID", "1"},      {"SLURM_STEP_NODELIST", "gpu[03-04]"},
                                                     {"SLURM_JOB_ID", "1234567"}, {"SLURM_STEP_ID", "0"}};
  expect(read(variables), 5, 8, 1, "gpu03", 20000 + 1234567 % 20000);
  EXPECT_EQ(read(variables).variables, "SLURM_PROCID, SLURM_STEP_NUM_TASKS");
}

TEST(RankLaunch, Mpirun) {
  // mpirun inside a Slurm job: Open MPI's own variables count.
  expect(read({{"OMPI_COMM_WORLD_RANK", "1"},
               {"OMPI_COMM_WORLD_SIZE", "2"},
               {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
               {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
               {"SLURM_PROCID", "0"},
               {"SLURM_STEP_NUM_TASKS", "1"}}),
         1, 2, 1, "127.0.0.1", 29500);
  expect(read({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "0"}, {"MASTER_ADDR", "a"}}), 1, 2, 0, "a",
         29500);
}

TEST(RankLaunch, InconsistentSizesAreUsageErrors) {
  EXPECT_THROW(read({{"WORLD_SIZE", "2"}}), UsageError);
  EXPECT_THROW(read({{"RANK", "1"}}), UsageError);
  EXPECT_THROW(read({{"RANK", "2"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}, {"LOCAL_RANK", "0"}}), UsageError);
  EXPECT_THROW(read({{"RANK", "x"}, {"WORLD_SIZE", "2"}}), UsageError);
  EXPECT_THROW(read({{"RANK", "0"}, {"WORLD_SIZE", "2"}}), UsageError);                            // where to meet?
  EXPECT_THROW(read({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "node1"}}), UsageError);  // which GPU?
  EXPECT_THROW(read({{"OMPI_COMM_WORLD_RANK", "0"},
                     {"OMPI_COMM_WORLD_SIZE", "4"},
                     {"OMPI_COMM_WORLD_LOCAL_RANK", "0"},
                     {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}}),
               UsageError);
}

TEST(RankLaunch, FirstNode) {
  EXPECT_EQ(first_node("node1"), "node1");
  EXPECT_EQ(first_node("a1,b2"), "a1");
  EXPECT_EQ(first_node("gpu[03-07,9],login"), "gpu03");
  EXPECT_EQ(first_node("gpu[5,7]"), "gpu5");
  EXPECT_EQ(first_node("rack[2-3]-node"), "rack2-node");
  EXPECT_EQ(first_node("rack[1-2]node[3-4]"), "rack1node3");
  EXPECT_EQ(first_node("rack[0,2]_blade[01-07,9]-ib0,x"), "rack0_blade01-ib0");
  EXPECT_EQ(first_node("a-b[2-3],c[1-2]"), "a-b2");
}

}  // namespace
}  // namespace bigdna::train
