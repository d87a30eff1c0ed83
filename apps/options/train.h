/// bigdna train chromatin: a dataset to a model that predicts, without pretraining.
#pragma once

#include "apps/options/common.h"
#include "profile/train_options.h"

namespace bigdna::apps {

struct TrainChromatinOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "train chromatin";
  static constexpr const char* group = "Models";
  static constexpr const char* summary =
      "Train a network that reads bases to predict chromatin features of 200-bp bins";
  static constexpr const char* example = "bigdna train chromatin bins -o chromatin_model";
  CommonOptions common;
  session::RunOptions run;
  OutputFolderOptions folder;
  profile::TrainOptions train;
  bool no_baseline = false;
  void visit(OptionList& visit);
  static std::string details();
};

void run(const TrainChromatinOptions& options);

}  // namespace bigdna::apps
