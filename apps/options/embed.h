/// bigdna embed: hidden states of sequences.
#pragma once

#include "apps/options/common.h"
#include "prediction/embed_options.h"

namespace bigdna::apps {

struct EmbedOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "embed";
  static constexpr const char* group = "Models";
  static constexpr const char* summary = "Write hidden states of sequences, per record, token or base";
  static constexpr const char* example = "bigdna embed model sequences.fa -o embeddings.npy";
  CommonOptions common;
  prediction::EmbedOptions embed;
  void visit(OptionList& visit);
  void finish(OptionList& list);
  static std::string details();
};

void run(const EmbedOptions& options);

}  // namespace bigdna::apps
