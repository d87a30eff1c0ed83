/// How this process was started, and its rank: read from the environment that torchrun, mpirun or srun set.
/// Torch-free.
#pragma once

#include <functional>
#include <string>

namespace bigdna::train {

struct Launch {
  int rank = 0, size = 1;        // this process, of how many in the run
  int local_rank = 0;            // this process among those on its machine: which GPU it takes
  std::string address;           // where rank 0 (or torchrun) listens
  int port = 29500;
  bool listener = false;         // the launcher itself listens (torchrun), not rank 0
  int attempt = 0;               // torchrun: restarts so far
};

/// In this order: RANK and WORLD_SIZE (torchrun, or set by hand), OMPI_COMM_WORLD_RANK/_SIZE (Open MPI), PMI_RANK and
/// PMI_SIZE (MPICH, Intel MPI), SLURM_PROCID and SLURM_STEP_NUM_TASKS (srun; not a plain batch script). None of them, or
/// a size of 1: one process alone. MASTER_ADDR and MASTER_PORT say where to meet; without them Slurm's first node and a
/// port made of the job's number, or this machine where all ranks are on it. UsageError where they do not fit together.
/// `get` reads a variable ("" where it is unset).
Launch read_launch(const std::function<std::string(const char* name)>& get);
Launch launch_from_environment();

/// The first host of a Slurm node list: "gpu[03-07,9],login" -> "gpu03".
std::string first_node(const std::string& nodes);

}  // namespace bigdna::train
