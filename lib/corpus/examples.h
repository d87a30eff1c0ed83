/// MLM+NSP examples (paper F.1, Devlin et al. 2019): a pure function of (corpus, options, epoch, index).
#pragma once

#include <memory>

#include "base/rng.h"
#include "corpus/corpus.h"
#include "corpus/example.h"
#include "tokenizer/vocabulary.h"

namespace bigdna::corpus {

enum class Objective { mlm_nsp, mlm };

/// What becomes of a token that is to be predicted. bert: [MASK] (80 %), a random piece that is not special (10 %) or the token
/// itself (10 %), as in training. all: always [MASK], so that no score counts a token that the model sees.
enum class Hiding { bert, all };

struct ExampleOptions {
  int64_t max_length = 4096;    // tokens, [CLS] and [SEP]s included
  double mask_fraction = 0.15;  // chosen tokens
  Hiding hiding = Hiding::bert;
  double short_sequence_probability = 0.1;  // BERT's: examples of a random shorter length
  Objective objective = Objective::mlm_nsp;
  uint64_t seed = 1;
};

/// Chooses the tokens that an example has to predict, and hides them: round(fraction x) of its x tokens that are no special
/// tokens, one at least, each set of them equally likely. The same tokens are chosen for either way of hiding.
class Masker {
 public:
  Masker(const tokenizer::Vocabulary& vocabulary, double fraction, Hiding hiding = Hiding::bert);
  /// Fills masked and masked_labels, and changes ids. Ids past the vocabulary (below 65 536) count as special.
  void operator()(Example& example, Rng& rng) const;

 private:
  double fraction_;
  Hiding hiding_;
  int32_t mask_;
  std::vector<int32_t> pieces_;    // ids that are not special
  std::vector<uint8_t> maskable_;  // by id: of the vocabulary, and every other of 16 bits
};

/// Examples of a part of a corpus. Let P be what fits beside [CLS] and [SEP]s: max_length - 3 tokens, or - 2
/// for mlm.
///
/// A document of T tokens gives ceil(T / P) examples an epoch: stretches of P tokens (all T if there are
/// fewer), spread evenly over the document and moved at random within what they overlap, so that no token
/// between them is left out. A short example (short_sequence_probability) is a random part, of 2 tokens at
/// least, of its stretch.
///
/// mlm_nsp: the stretch is cut at a sentence boundary in it, drawn at random (between any two tokens where it
/// holds none): A is what lies before. B is what follows, or in half of the examples as many tokens from a
/// random sentence of the corpus on: of a document drawn by its share of the examples, again where it meets
/// the bases of the stretch. [CLS] A [SEP] is of token type 0, B [SEP] of 1; targets is {1} where B does not
/// follow A. mlm: [CLS] A [SEP] with A the whole stretch; no targets.
///
/// Masking: see Masker.
///
/// Thread-safe: make() may be called from any thread.
class ExampleSource {
 public:
  /// Error: a vocabulary without [CLS], [SEP] or [MASK]; UsageError: options that make no sense.
  ExampleSource(std::shared_ptr<const Corpus> corpus, const tokenizer::Vocabulary& vocabulary,
                ExampleOptions options);
  /// Examples in one epoch: the sum of ceil(T / P) over documents.
  int64_t size() const;
  /// Example `index` in [0, size()) of `epoch`, in that epoch's shuffled order (a keyed permutation).
  Example make(int64_t epoch, int64_t index) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace bigdna::corpus
