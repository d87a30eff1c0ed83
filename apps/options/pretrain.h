/// bigdna pretrain: from a genome, or a corpus folder, to a pretrained model.
#pragma once

#include "apps/options/common.h"
#include "mlm/pretrain_options.h"

namespace bigdna::apps {

struct PretrainOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "pretrain";
  static constexpr const char* group = "Models";
  static constexpr const char* summary = "Pretrain a BigBird or ModernBERT encoder (MLM and NSP) on a genome";
  static constexpr const char* example = "bigdna pretrain GRCh37.fa.gz -o run";
  CommonOptions common;
  OutputFolderOptions folder;
  mlm::PretrainOptions task;
  void visit(OptionList& visit);
  void finish(OptionList& list);
  /// Whether the command line asks for the job of an earlier run, which has chosen for --hours and --batch auto.
  bool asks_for(const OptionList& list, const io::Job& earlier) const;
  static std::string details();
};

void run(const PretrainOptions& options);

}  // namespace bigdna::apps
