/// bigdna embed: hidden states of sequences.
#pragma once

#include "apps/options/common.h"
#include "prediction/embed_options.h"

namespace bigdna::apps {

struct EmbedOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "embed";
  static constexpr const char* group = "Models";
  static constexpr const char* summary = "Hidden states of sequences, per record, token or base";
  CommonOptions common;
  DeviceOptions device;
  prediction::EmbedOptions embed;
  void define(CLI::App& app);
};

void run(const EmbedOptions& options);

}  // namespace bigdna::apps
