/// MLM+NSP examples (paper F.1, Devlin et al. 2019): a pure function of (corpus, options, epoch, index).
#pragma once

#include "corpus/corpus.h"
#include "corpus/example.h"

namespace bigdna::corpus {

enum class Objective { mlm_nsp, mlm };

struct ExampleOptions {
  int64_t max_length = 4096;               // tokens, [CLS] and [SEP]s included
  double mask_fraction = 0.15;             // chosen tokens; of them 80 % [MASK], 10 % random piece, 10 % kept
  double short_sequence_probability = 0.1; // BERT's: examples of a random shorter length
  Objective objective = Objective::mlm_nsp;
  uint64_t seed = 1;
};

/// Thread-safe: make() may be called from any thread.
class ExampleSource {
 public:
  ExampleSource(std::shared_ptr<const Corpus> corpus, const tokenizer::Vocabulary& vocabulary, ExampleOptions options);
  /// Examples in one epoch (about: tokens / max_length).
  int64_t size() const;
  /// Example `index` in [0, size()) of `epoch`, in that epoch's shuffled order (a keyed permutation).
  Example make(int64_t epoch, int64_t index) const;

 private:
  std::shared_ptr<const Corpus> corpus_;
  ExampleOptions options_;
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace bigdna::corpus
