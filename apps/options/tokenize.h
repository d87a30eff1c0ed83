/// bigdna tokenize: sequence to tokens, with the bases each stands for.
#pragma once

#include "apps/options/common.h"

namespace bigdna::apps {

struct TokenizeOptions {
  static constexpr auto program = Program::data;
  static constexpr const char* name = "tokenize";
  static constexpr const char* group = "Training data";
  static constexpr const char* summary = "Tokenise sequences, with base coordinates, or print token statistics";
  static constexpr const char* example = "bigdna tokenize sequences.fa --vocab vocabulary -o tokens.tsv";
  CommonOptions common;
  std::string input, vocabulary;
  std::string regions, region;  // BED, samtools region; "" for none
  bool text = false;
  std::string output = "-";
  std::string format = "tokens";  // tokens, pieces, ids
  bool ids = false;               // --format ids
  bool stats = false;
  int64_t top = 20;
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;
  void visit(OptionList& visit);
  static std::string details();
};

void run(const TokenizeOptions& options);

}  // namespace bigdna::apps
