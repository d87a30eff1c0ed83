/// bigdna convert: models of other programs in, models for other programs out.
#pragma once

#include "apps/options/common.h"

namespace bigdna::apps {

struct ConvertOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "convert";
  static constexpr const char* group = "Models";
  static constexpr const char* summary = "Import a Hugging Face BigBird model, or write a model with chosen heads";
  CommonOptions common;
  OutputFolderOptions output;
  std::string input, vocabulary, head, pattern, random_blocks;
  void define(CLI::App& app);
};

void run(const ConvertOptions& options);

}  // namespace bigdna::apps
