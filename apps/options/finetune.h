/// bigdna finetune promoter|chromatin|table: a pretrained model and a dataset to a model that predicts.
#pragma once

#include "apps/options/common.h"
#include "training/finetune_options.h"

namespace bigdna::apps {

/// What these commands share.
struct FinetuneCommandOptions {
  CommonOptions common;
  OutputFolderOptions folder;
  training::FinetuneOptions finetune;
  bool no_baseline = false;
  bool no_kmers = false, no_kernel = false;
  void visit_shared(OptionList& visit);
  /// --shard-optimiser, --device, --threads and so on: the end of the list.
  void visit_machine(OptionList& visit);
};

struct FinetunePromoterOptions : FinetuneCommandOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "finetune promoter";
  static constexpr const char* group = "Models";
  static constexpr const char* summary = "Fine-tune a model to tell promoters from other sequence";
  static constexpr const char* example = "bigdna finetune promoter run promoters -o promoter_model";
  void visit(OptionList& visit);
  static std::string details();
};

struct FinetuneChromatinOptions : FinetuneCommandOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "finetune chromatin";
  static constexpr const char* group = "Models";
  static constexpr const char* summary = "Fine-tune a model to predict chromatin features of 200-bp bins";
  static constexpr const char* example = "bigdna finetune chromatin run chromatin -o chromatin_model";
  void visit(OptionList& visit);
  static std::string details();
};

struct FinetuneTableOptions : FinetuneCommandOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "finetune table";
  static constexpr const char* group = "Models";
  static constexpr const char* summary =
      "Fine-tune a model on your own labels: two or more classes, several labels, numbers";
  static constexpr const char* example = "bigdna finetune table run measured -o measured_model";
  std::string class_weights = "none", loss = "mse";
  void visit(OptionList& visit);
  void finish(const OptionList& list);
  static std::string details();
};

void run(const FinetuneCommandOptions& options);

}  // namespace bigdna::apps
