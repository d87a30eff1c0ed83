/// bigdna finetune promoter|chromatin: a pretrained model and a dataset to a model that predicts.
#pragma once

#include "apps/options/common.h"
#include "classification/finetune_options.h"

namespace bigdna::apps {

/// What both have.
struct FinetuneCommandOptions {
  CommonOptions common;
  DeviceOptions device;
  OutputFolderOptions folder;
  classification::FinetuneOptions finetune;
  bool no_baseline = false;
  void define_shared(CLI::App& app);
};

struct FinetunePromoterOptions : FinetuneCommandOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "finetune promoter";
  static constexpr const char* group = "Models";
  static constexpr const char* summary = "Fine-tune a model to tell promoters from other sequence";
  void define(CLI::App& app);
};

struct FinetuneChromatinOptions : FinetuneCommandOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "finetune chromatin";
  static constexpr const char* group = "Models";
  static constexpr const char* summary = "Fine-tune a model to predict chromatin features of 200-bp bins";
  void define(CLI::App& app);
};

void run(const FinetunePromoterOptions& options);
void run(const FinetuneChromatinOptions& options);

}  // namespace bigdna::apps
