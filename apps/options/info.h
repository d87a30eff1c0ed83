/// bigdna info: what a model, corpus, dataset, vocabulary or run folder is, in words.
#pragma once

#include "apps/options/common.h"

namespace bigdna::apps {

struct InfoOptions {
  static constexpr auto program = Program::data;
  static constexpr const char* name = "info";
  static constexpr const char* group = "Files";
  static constexpr const char* summary = "Say what a folder or file of bigdna's is, and check it";
  CommonOptions common;
  std::string path;
  bool verify = false;
  void define(CLI::App& app);
};

void run(const InfoOptions& options);

}  // namespace bigdna::apps
