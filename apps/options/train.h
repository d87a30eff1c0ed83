/// bigdna train: a dataset to a model that predicts, without pretraining.
#pragma once

#include "apps/options/common.h"
#include "training/train_options.h"

namespace bigdna::apps {

struct TrainCommandOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* group = "Models";
  CommonOptions common;
  OutputFolderOptions folder;
  training::TrainOptions train;
  bool no_kmers = false, no_baseline = false;
  void finish(const OptionList& list);

 protected:
  void visit_files(OptionList& visit, const std::string& dataset, const std::string& written);
  void visit_checks(OptionList& visit);   // validation and checkpoints
  void visit_machine(OptionList& visit);  // the last ones
  /// All options of a network that answers for sequences as a whole.
  void visit_sequences(OptionList& visit, const char* task);
};

struct TrainChromatinOptions : TrainCommandOptions {
  static constexpr const char* name = "train chromatin";
  static constexpr const char* summary =
      "Train a network that reads bases to predict chromatin features of 200-bp bins";
  static constexpr const char* example = "bigdna train chromatin bins -o chromatin_model";
  void visit(OptionList& visit);
  static std::string details();
};

struct TrainPromoterOptions : TrainCommandOptions {
  static constexpr const char* name = "train promoter";
  static constexpr const char* summary = "Train a network that reads bases to tell promoters from other sequences";
  static constexpr const char* example = "bigdna train promoter promoters -o promoter_model";
  void visit(OptionList& visit);
  static std::string details();
};

struct TrainTableOptions : TrainCommandOptions {
  static constexpr const char* name = "train table";
  static constexpr const char* summary = "Train a network that reads bases on a table of sequences with labels";
  static constexpr const char* example = "bigdna train table dataset -o model";
  void visit(OptionList& visit);
  static std::string details();
};

void run(const TrainCommandOptions& options);

}  // namespace bigdna::apps
