/// bigdna finetune: a pretrained model and a dataset to a model that predicts.
#pragma once

#include <optional>
#include <string>

#include "apps/options/common.h"
#include "training/finetune_options.h"

namespace bigdna::apps {

struct FinetuneOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "finetune";
  static constexpr const char* group = "Models";
  static constexpr const char* summary = "Fine-tune a pretrained model on any dataset";
  static constexpr const char* example = "bigdna finetune run promoters -o promoter_model";
  CommonOptions common;
  OutputFolderOptions folder;
  training::FinetuneOptions finetune;
  std::string class_weights = "none", loss = "mse";
  bool no_baseline = false;
  void visit(OptionList& visit);
  void finish(const OptionList& list);
  static std::string details();
};

void run(const FinetuneOptions& options);

}  // namespace bigdna::apps
