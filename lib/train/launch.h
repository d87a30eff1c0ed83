/// This process's rank and how it was started, from the environment that torchrun, mpirun or srun set. Without
/// LibTorch.
#pragma once

#include <functional>
#include <string>

namespace bigdna::train {

struct RankLaunch {
  int rank = 0, size = 1;  // of this process; number of processes in the run
  int local_rank = 0;      // rank among the processes on this machine, which decides the GPU
  std::string address;     // where rank 0 (or torchrun) listens
  int port = 29500;
  bool listener = false;  // the launcher itself listens (torchrun), not rank 0
  int attempt = 0;        // torchrun: restarts so far
  std::string variables;  // that gave rank and size, for messages
};

/// In this order: RANK and WORLD_SIZE (torchrun, or set by hand), OMPI_COMM_WORLD_RANK/_SIZE (Open MPI), PMI_RANK and
/// PMI_SIZE (MPICH, Intel MPI), SLURM_PROCID and SLURM_STEP_NUM_TASKS (srun; not a plain batch script). Without any of
/// them, or with a size of 1, there is one process. MASTER_ADDR and MASTER_PORT give the meeting point; without them it
/// is Slurm's first node and a port derived from the job id, or this machine if all ranks are on it. UsageError if the
/// variables are inconsistent. `get` reads a variable ("" if it is unset).
RankLaunch read_launch(const std::function<std::string(const char* name)>& get);
RankLaunch launch_from_environment();

/// The first host of a Slurm node list: "gpu[03-07,9],login" -> "gpu03", "rack[0-1]_blade[2-3]" -> "rack0_blade2".
std::string first_node(const std::string& nodes);

}  // namespace bigdna::train
