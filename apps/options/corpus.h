/// bigdna corpus: genomes to documents of sentences of tokens, as in the paper's appendix F.1.
#pragma once

#include "apps/options/common.h"
#include "corpus/build.h"

namespace bigdna::apps {

struct CorpusOptions {
  static constexpr auto program = Program::data;
  static constexpr const char* name = "corpus";
  static constexpr const char* group = "Training data";
  static constexpr const char* summary = "Build a pretraining corpus of tokenised documents and sentences from genomes";
  static constexpr const char* example = "bigdna corpus GRCh37.fa.gz --vocab vocabulary -o corpus";
  CommonOptions common;
  OutputFolderOptions folder;
  std::vector<std::string> inputs;  // FASTA files; a corpus folder with --show
  std::string vocabulary;
  corpus::BuildOptions build;
  int64_t show = 0;
  std::string part = "training";
  void visit(OptionList& visit);
  void finish(const OptionList& list);
  static std::string details();
};

void run(const CorpusOptions& options);

}  // namespace bigdna::apps
