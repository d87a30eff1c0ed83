#include "train/launch.h"

#include <charconv>
#include <cstdlib>

#include "base/error.h"

namespace bigdna::train {

namespace {

using Get = std::function<std::string(const char* name)>;

int number(const Get& get, const char* name, int least, int otherwise) {
  const std::string text = get(name);
  if (text.empty()) return otherwise;
  int value = 0;
  const char* end = text.data() + text.size();
  if (const auto [stop, error] = std::from_chars(text.data(), end, value);
      error != std::errc() || stop != end || value < least)
    throw UsageError(concat(name, "=", text, ": not a number of at least ", least));
  return value;
}

/// The variables of a launcher.
struct Names {
  const char *rank, *size, *local_rank, *local_size;
};
constexpr Names kLaunchers[] = {
    {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", ""},
};

/// A port that two jobs on the same machine rarely share.
int slurm_port(const Get& get) {
  return 20000 + (number(get, "SLURM_JOB_ID", 0, 0) + 97 * number(get, "SLURM_STEP_ID", 0, 0)) % 20000;
}

}  // namespace

std::string first_node(const std::string& nodes) {
  std::string first;
  bool in_list = false, taken = false;  // within brackets, and behind the first of their numbers
  for (const char c : nodes) {
    if (c == '[' || c == ']')
      in_list = c == '[', taken = false;
    else if (!in_list && c == ',')
      break;
    else if (in_list && (c == ',' || c == '-'))
      taken = true;
    else if (!taken)
      first += c;
  }
  return first;
}

RankLaunch read_launch(const Get& get) {
  RankLaunch launch;
  for (const Names& names : kLaunchers) {
    const bool is_slurm = std::string_view(names.rank).starts_with("SLURM"),
               is_plain = std::string_view(names.rank) == "RANK";
    const bool has_rank = !get(names.rank).empty(), has_size = !get(names.size).empty();
    if (is_plain && has_rank != has_size)
      throw UsageError(concat(has_rank ? names.rank : names.size, " is set and ", has_rank ? names.size : names.rank,
                              " is not: several processes need both, a single one neither"));
    if (!has_rank || !has_size) continue;
    launch.rank = number(get, names.rank, 0, 0);
    launch.size = number(get, names.size, 1, 1);
    if (launch.rank >= launch.size)
      throw UsageError(
          concat(names.rank, "=", launch.rank, ": ranks are numbered from 0, and there are ", launch.size));
    if (launch.size == 1) return launch;
    launch.variables = concat(names.rank, ", ", names.size);
    launch.local_rank = number(get, names.local_rank, 0, -1);
    launch.address = get("MASTER_ADDR");
    launch.listener = get("TORCHELASTIC_USE_AGENT_STORE") == "True";
    launch.attempt = number(get, "TORCHELASTIC_RESTART_COUNT", 0, 0);
    const std::string nodes =
        get("SLURM_STEP_NODELIST").empty() ? get("SLURM_JOB_NODELIST") : get("SLURM_STEP_NODELIST");
    launch.port = number(get, "MASTER_PORT", 1, is_slurm ? slurm_port(get) : launch.port);
    const bool one_machine = *names.local_size && number(get, names.local_size, 1, 0) == launch.size;
    if (launch.address.empty()) launch.address = is_slurm ? first_node(nodes) : one_machine ? "127.0.0.1" : "";
    if (launch.address.empty())
      throw UsageError(concat("rank ", launch.rank, " of ", launch.size,
                              " does not know where to meet the others: set MASTER_ADDR to rank 0's machine"));
    if (launch.local_rank < 0) {  // unknown: right where all ranks share a machine
      if (get("MASTER_ADDR") != "127.0.0.1" && get("MASTER_ADDR") != "localhost" && !one_machine)
        throw UsageError(concat(names.local_rank, " is not set, so the device of rank ", launch.rank, " is unknown"));
      launch.local_rank = launch.rank;
    }
    return launch;
  }
  return launch;
}

RankLaunch launch_from_environment() {
  return read_launch([](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  });
}

}  // namespace bigdna::train
