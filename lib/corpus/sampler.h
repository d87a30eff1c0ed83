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
  int64_t start_max = 5000;                         // bp; a pass starts uniformly in [0, start_max], inside the contig
  int64_t sentences_min = 50, sentences_max = 100;  // per document
  int64_t sentence_min = 500, sentence_max = 1000;  // bp per sentence
  double max_n_fraction = 0.5;                      // a sentence with a larger share of N is dropped; 1 keeps all
  enum class Strands {
    forward,
    both
  } strands = Strands::forward;  // both: half of the documents are reverse-complemented
  uint64_t seed = 1;
};

/// UsageError naming the option that is invalid.
void check(const SamplerOptions& options);

/// One document: consecutive sentences. Sentence i covers [ends[i-1], ends[i]) of the contig, where ends[-1] is start.
struct DocumentPlan {
  int64_t start = 0;          // 0-based on the forward strand
  std::vector<int64_t> ends;  // ascending; ends.back() is the document's end
  char strand = '+';          // '-': sentences are read from the end, reverse-complemented
};

/// The documents of one pass over one contig: a pure function of (options, contig name, pass, bases, allowed).
/// Documents stay inside the `allowed` intervals, which are sorted and without what is held out or excluded. The last
/// document of an interval ends with it, its last sentence cut short; the next one starts with the next interval. A
/// sentence with too many N is left out and ends its document.
std::vector<DocumentPlan> sample_documents(const SamplerOptions& options, const std::string& contig, int pass,
                                           std::string_view bases,
                                           const std::vector<genome::IntervalSet::Interval>& allowed);

}  // namespace bigdna::corpus
