/// bigdna likelihood: how likely a language model finds sequences.
#pragma once

#include "apps/options/common.h"
#include "prediction/likelihood_options.h"

namespace bigdna::apps {

struct LikelihoodOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "likelihood";
  static constexpr const char* group = "Models";
  static constexpr const char* summary = "Write how likely a language model finds sequences, in bits";
  static constexpr const char* example = "bigdna likelihood human-chr20-encoder sequences.fa -o bits.tsv";
  CommonOptions common;
  prediction::LikelihoodOptions likelihood;
  void visit(OptionList& visit);
  void finish(OptionList& list);
  static std::string details();
};

void run(const LikelihoodOptions& options);

}  // namespace bigdna::apps
