#include "profile/network_run.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>

#include <filesystem>

#include "base/error.h"
#include "io/lines.h"

namespace bigdna::profile {

model_folder::ProfileConfig single(model_folder::ProfileConfig config) {
  config.networks = 1;
  return config;
}

session::RunOptions run_on(session::RunOptions run, const train::Launch& launch) {
  run.device = train::device_for(run.device, launch);
  return run;
}

std::string finished_table(const TrainOptions& options, const train::Launch& launch) {
  return launch.rank == 0 ? io::read_file(options.output + "/metrics.tsv") : "";
}

train::TrainOptions network_loop(const TrainOptions& options, int64_t steps) {
  train::TrainOptions loop;
  loop.batch = options.batch;
  loop.steps = options.steps.value_or(steps);
  loop.learning_rate = options.learning_rate.value_or(model_folder::profile_preset(options.preset).learning_rate);
  loop.weight_decay = options.weight_decay;
  loop.warmup_steps = loop.steps / 20;
  loop.checkpoint_every = options.checkpoint_every;
  loop.keep = 1;
  loop.ranks = options.ranks;
  loop.threads = options.run.threads;
  return loop;
}

std::string network_folder(const TrainOptions& options, const train::Ranks& ranks, int64_t network) {
  const std::string folder = concat(options.output, "/network-", network + 1);
  if (ranks.first()) std::filesystem::create_directories(folder);
  return folder;
}

void add_network(model::Parameters& model, const model::Parameters& network, int64_t number) {
  const std::string first = model_folder::network_prefix(0);
  for (const auto& [name, value] : network)
    model[model_folder::network_prefix(number) + name.substr(first.size())] = value.detach().cpu();
}

void fold(const task_model::Calibration& calibration, const model_folder::ProfileConfig& config,
          model::Parameters& parameters) {
  const at::Tensor scale = at::tensor(calibration.scale).to(at::kFloat),
                   shift = at::tensor(calibration.shift).to(at::kFloat);
  for (int64_t network = 0; network < config.networks; ++network) {
    const std::string head = model_folder::network_prefix(network) + "head.";
    parameters.at(head + "weight").mul_(scale.unsqueeze(1));
    parameters.at(head + "bias").mul_(scale).add_(shift);
  }
}

std::string evaluate_network(const TrainOptions& options, const classification::TaskRows& data,
                             const std::vector<classification::Method>& methods) {
  classification::EvaluationOptions evaluation;
  evaluation.seed = options.seed;
  evaluation.threads = options.run.threads;
  return classification::evaluate_run(options.output, data, methods, evaluation);
}

}  // namespace bigdna::profile
