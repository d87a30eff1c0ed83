/// bigdna pretrain: from a genome, or a corpus folder, to a pretrained model.
#pragma once

#include "apps/options/common.h"
#include "mlm/pretrain_options.h"

namespace bigdna::apps {

struct PretrainOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "pretrain";
  static constexpr const char* group = "Models";
  static constexpr const char* summary = "Train a BigBird encoder on a genome, from nothing (MLM and NSP)";
  CommonOptions common;
  DeviceOptions device;
  OutputFolderOptions output;
  mlm::PretrainOptions task;
  void define(CLI::App& app);
};

void run(const PretrainOptions& options);

}  // namespace bigdna::apps
