#include "train/rank_setup.h"

#include "base/log.h"
#include "kernels/cuda_plugin.h"

namespace bigdna::train {

std::string device_for(const std::string& choice, const train::RankLaunch& launch) {
  if (launch.size == 1 || choice == "cpu") return choice;
  if (choice.starts_with("cuda:"))
    throw UsageError(
        concat("--device ", choice, " names one GPU for ", launch.size, " ranks; --device cuda gives each its own"));
  const auto& cuda = kernels::cuda_plugin();
  if (!cuda.table || cuda.devices == 1) return choice;  // with one, the launcher shows each rank only its own GPU
  if (launch.local_rank >= cuda.devices)
    fail("rank ", launch.local_rank, " of this machine has no GPU, because there are only ", cuda.devices);
  return concat("cuda:", launch.local_rank);
}

void configure_log(const train::RankLaunch& launch, const std::string& command) {
  if (launch.rank > 0) log::configure(log::Level::quiet, concat("bigdna ", command, ", rank ", launch.rank));
}

}  // namespace bigdna::train
