/// bigdna vocab: genomes or text to a BPE vocabulary.
#pragma once

#include <vector>

#include "apps/options/common.h"
#include "corpus/sampler.h"
#include "tokenizer/trainer.h"

namespace bigdna::apps {

struct VocabOptions {
  static constexpr auto program = Program::data;
  static constexpr const char* name = "vocab";
  static constexpr const char* group = "Training data";
  static constexpr const char* summary = "Train a BPE vocabulary on genomes or text";
  static constexpr const char* example = "bigdna vocab GRCh37.fa.gz -o vocabulary";
  CommonOptions common;
  OutputFolderOptions folder;
  std::vector<std::string> inputs;
  bool text = false;
  tokenizer::TrainerOptions trainer;
  corpus::SamplerOptions sampler{.passes = 1};
  bool every_base = false;
  int64_t top = 10;
  std::string contigs = "primary";
  std::string regions, exclude;  // BED paths, "" for none
  std::string hold_out = "0";    // genome::held_out
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;
  /// Whether the inputs are text, by their names or --text; UsageError for a mixture.
  bool is_text() const;
  void visit(OptionList& visit);
  void finish(const OptionList& list);
};

void run(const VocabOptions& options);

}  // namespace bigdna::apps
