#include "training/starting_model.h"

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "model/batch.h"
#include "model/network.h"
#include "models/model.h"

namespace bigdna::training {

StartingModel::StartingModel(const std::string& path) {
  if (path.empty()) return;
  folder_ = model_folder::ModelFolder::open_any(path);
  if (!folder_->network)
    fail(path,
         ": reads tokens; --from takes networks on bases, which bigdna train makes (bigdna finetune trains such a "
         "model further)");
  if (folder_->network->networks == 0) fail(path, ": was trained with --networks 0, so there is none to start from");
  parameters_ = model::load_network_weights(*folder_->network, folder_->weights_path());
}

void StartingModel::begin(const model_folder::NetworkConfig& one, model::Parameters& network, int64_t number,
                          const std::vector<corpus::Example>& examples) const {
  if (folder_) return give(network, number);
  model::standardise(one, network, 0, model::make_batch(examples, one.bin(), model::kUnknownBase, at::kCPU).ids);
}

void StartingModel::give(model::Parameters& network, int64_t number) const {
  const std::string to = model_folder::network_prefix(0),
                    from = model_folder::network_prefix(number % folder_->network->networks);
  int64_t given = 0;
  for (auto& [name, value] : network) {
    const std::string inner = name.substr(to.size());
    if (inner.starts_with("head.")) continue;
    const auto found = parameters_.find(from + inner);
    if (found != parameters_.end() && found->second.sizes() == value.sizes()) {
      value = found->second.to(value.dtype(), /*non_blocking=*/false, /*copy=*/true);
      ++given;
    } else if (inner.starts_with("stages.")) {
      fail(folder_->path, ": has no ", inner, " of the shape that this run's networks have");
    }
  }
  log::info("network ", number + 1, ": ", given, " of ", counted(network.size(), "array"), " from ", folder_->path);
}

model::Parameters StartingModel::networks(const model_folder::NetworkConfig& config,
                                          const std::vector<dataset::Feature>& features) const {
  if (models::features_of(*folder_) != features)
    fail(folder_->path, ": has other outputs than the dataset, so its networks cannot be kept as they are");
  auto expected = *folder_->network;
  expected.window = config.window;
  if (expected != config)
    fail(folder_->path, ": its networks are kept as they are, so no option can give them another shape or number");
  return parameters_;
}

void StartingModel::warn_of_leakage(const rows::TaskRows& data) const {
  if (folder_) rows::warn_of_leakage(*folder_, data);
}

void StartingModel::record(RunFolder& run, const std::vector<int64_t>& rows,
                           const model_folder::ModelFolder* encoder) const {
  std::vector<const model_folder::ModelFolder*> from;
  if (folder_) {
    run.manifest.add_input(folder_->weights_path());
    from.push_back(&*folder_);
  }
  if (encoder) from.push_back(encoder);
  const auto seen = run.record_training(rows, from);
  if (!encoder) return;
  run.manifest.details[model_folder::kHeldOutIntervals] =
      genome::to_json(genome::without(encoder->held_out_intervals(), seen));
}

}  // namespace bigdna::training
