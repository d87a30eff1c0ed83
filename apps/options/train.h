/// bigdna train: a dataset to a model that predicts, without pretraining.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "apps/options/common.h"
#include "training/train_options.h"

namespace bigdna::apps {

struct TrainOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "train";
  static constexpr const char* group = "Models";
  static constexpr const char* summary = "Train a network that reads bases on any dataset, without a pretrained model";
  static constexpr const char* example = "bigdna train bins -o chromatin_model";
  CommonOptions common;
  OutputFolderOptions folder;
  training::TrainOptions train;
  std::vector<std::string> datasets;
  // unset, or empty: the task's (training::default_options)
  std::optional<int64_t> batch;
  std::optional<double> learning_rate, weight_decay;
  std::vector<int64_t> dilations;
  bool no_kmers = false, no_baseline = false;
  void visit(OptionList& visit);
  void finish(const OptionList& list);
  static std::string details();
};

void run(const TrainOptions& options);

}  // namespace bigdna::apps
