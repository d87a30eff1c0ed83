/// F.1's sampler: contigs -> documents of consecutive sentences (docs/semantics.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "genome/fasta.h"
#include "genome/interval_set.h"

namespace bigdna::corpus {

/// Paper, appendix F.1. The defaults are the paper's.
struct SamplerOptions {
  int passes = 10;
  int64_t start_max = 5000;                         // q uniform in [0, start_max] (and inside the contig), bp
  int64_t sentences_min = 50, sentences_max = 100;  // per document
  int64_t sentence_min = 500, sentence_max = 1000;  // bp per sentence
  double max_n_fraction = 0.5;  // a sentence with a larger share of N is dropped; 1 keeps all
  enum class Strands {
    forward,
    both
  } strands = Strands::forward;  // both: half of the documents are reverse-complemented
  uint64_t seed = 1;
};

/// UsageError, in terms of the command line, if they are invalid.
void check(const SamplerOptions& options);

/// One document: consecutive sentences. Sentence i covers [ends[i-1], ends[i]) of the contig (ends[-1] =
/// start).
struct DocumentPlan {
  int64_t start = 0;          // 0-based on the forward strand
  std::vector<int64_t> ends;  // ascending; ends.back() is the document's end
  char strand = '+';          // '-': sentences are read from the end, reverse-complemented
};

/// The documents of one pass over one contig: a pure function of (options, contig name, pass, bases,
/// allowed). Documents stay inside the `allowed` intervals (sorted; what is held out or excluded is not in
/// them): the last one of an interval ends with it, the last sentence cut short, and the next starts with the
/// next interval. A sentence with too many N is left out and ends its document.
std::vector<DocumentPlan> sample_documents(const SamplerOptions& options, const std::string& contig, int pass,
                                           std::string_view bases,
                                           const std::vector<genome::IntervalSet::Interval>& allowed);

}  // namespace bigdna::corpus
