#include "corpus/sampler.h"

#include <algorithm>

#include "base/error.h"
#include "base/rng.h"

namespace bigdna::corpus {

namespace {
uint64_t hash_of(std::string_view text) {
  uint64_t hash = text.size();
  for (const char c : text) hash = mix({hash, static_cast<unsigned char>(c)});
  return hash;
}

void check_range(const char* flag, int64_t least, int64_t low, int64_t high) {
  if (low < least || high < low)
    throw UsageError(concat(flag, " ", low, "-", high, ": is not a range of numbers of at least ", least));
}
}  // namespace

void check(const SamplerOptions& options) {
  if (options.passes < 1) throw UsageError("--passes: must be at least 1");
  check_range("--start 0 to", 0, 0, options.start_max);
  check_range("--sentences", 1, options.sentences_min, options.sentences_max);
  check_range("--sentence-length", 1, options.sentence_min, options.sentence_max);
  // a corpus file counts a document's bases in 32 bits
  if (options.sentence_max > UINT32_MAX / options.sentences_max)
    throw UsageError("--sentences and --sentence-length: a document can have 4 Gbp at most");
  if (!(options.max_n_fraction >= 0 && options.max_n_fraction <= 1))
    throw UsageError("--max-n-fraction: must be from 0 to 1");
}

std::vector<DocumentPlan> sample_documents(const SamplerOptions& options, const std::string& contig, int pass,
                                           std::string_view bases,
                                           const std::vector<genome::IntervalSet::Interval>& allowed) {
  std::vector<DocumentPlan> documents;
  const auto length = static_cast<int64_t>(bases.size());
  if (length == 0) return documents;
  Rng rng(mix({options.seed, hash_of(contig), static_cast<uint64_t>(pass)}));
  int64_t q = rng.between(0, std::min(options.start_max, length - 1));
  for (const auto& [first, last] : allowed) {
    q = std::max(q, first);
    const int64_t limit = std::min(last, length);
    while (q < limit) {
      DocumentPlan document;
      document.start = q;
      if (options.strands == SamplerOptions::Strands::both && rng.below(2) == 1) document.strand = '-';
      for (int64_t left = rng.between(options.sentences_min, options.sentences_max); left > 0 && q < limit; --left) {
        const int64_t end = std::min(q + rng.between(options.sentence_min, options.sentence_max), limit);
        const auto sentence = bases.substr(static_cast<size_t>(q), static_cast<size_t>(end - q));
        q = end;
        if (static_cast<double>(genome::count_n(sentence)) >
            options.max_n_fraction * static_cast<double>(sentence.size()))
          break;
        document.ends.push_back(end);
      }
      if (!document.ends.empty()) documents.push_back(std::move(document));
    }
  }
  return documents;
}

}  // namespace bigdna::corpus
