/// The options of `bigdna motifs`. Without LibTorch, so that apps/options can use it.
#pragma once

#include <cstdint>
#include <string>

#include "attribution/explain_options.h"

namespace bigdna::attribution {

struct MotifOptions {
  std::string model;
  prediction::SequenceInput input;
  std::string features;  // dataset::choose_features(), of the columns of `table`
  int64_t sites = 200;   // bins that a motif is counted from
  int64_t bins = 100;    // bins in which filters are silenced, drawn by the seed; 0: none, if there is no table
  uint64_t seed = 1;
  std::string output = "-";    // motifs in MEME's format
  std::string table;           // a row per filter; "": none
  std::string pictures;        // a folder for logos; "": none
  std::string known, matches;  // motifs to compare with, and the table of what resembles them; "": none
  session::RunOptions run = ExplainOptions().run;
};

}  // namespace bigdna::attribution
