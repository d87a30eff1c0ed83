/// bigdna convert: imports models of other programs, and exports models for them.
#pragma once

#include "apps/options/common.h"
#include "io/safetensors.h"

namespace bigdna::apps {

struct ConvertOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "convert";
  static constexpr const char* group = "Models";
  static constexpr const char* summary =
      "Import a BigBird, ModernBERT, BPNet or ChromBPNet model, or write a model with other heads or another pattern";
  static constexpr const char* example = "bigdna convert google_bigbird -o model";
  CommonOptions common;
  OutputFolderOptions folder;
  std::string input, vocabulary, head, pattern, attention, random_blocks;
  std::optional<int64_t> max_length;
  io::Dtype weights = io::Dtype::f32;
  void visit(OptionList& visit);
  static std::string details();
};

void run(const ConvertOptions& options);

}  // namespace bigdna::apps
