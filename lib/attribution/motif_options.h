/// The options of `bigdna motifs`. Without LibTorch, so that apps/options can use it.
#pragma once

#include <cstdint>
#include <string>

#include "attribution/explain_options.h"
#include "motif/hits.h"

namespace bigdna::attribution {

struct MotifOptions {
  std::string model;
  prediction::SequenceInput input;
  std::string features;  // dataset::choose_features(): the columns of `table`, or the outputs whose motifs are sought
  int64_t sites = 200;   // bins that a motif is counted from
  int64_t bins = 100;    // bins in which filters are silenced, drawn by the seed; 0: none, if there is no table
  uint64_t seed = 1;
  std::string output = "-";    // motifs in MEME's format
  std::string table;           // a row per filter; "": none
  std::string pictures;        // a folder for logos; "": none
  std::string known, matches;  // motifs to compare with, and the table of what resembles them; "": none
  bool de_novo = false;        // motifs of what contributes, not of the first layer's filters
  ExplainMethod explain;       // of these
  int64_t min_seqlets = motif::PatternOptions().least;
  std::string hits;                              // BED of where these motifs stand; "": none
  double max_q = motif::HitOptions().largest_q;  // of hits
  session::RunOptions run = ExplainOptions().run;
};

}  // namespace bigdna::attribution
