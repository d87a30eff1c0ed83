/// Examples of MLM+NSP (paper F.1, Devlin et al. 2019) and of other objectives: a pure function of (corpus, options,
/// epoch, index).
#pragma once

#include <memory>
#include <optional>

#include "base/rng.h"
#include "corpus/corpus.h"
#include "corpus/example.h"
#include "corpus/gaps.h"
#include "tokenizer/vocabulary.h"

namespace bigdna::corpus {

enum class Objective { mlm_nsp, mlm, next };
const char* to_string(Objective objective);  // as options and manifests spell it

/// What replaces a token that is to be predicted. bert, as in the paper: [MASK] (80 %), a random piece that is not
/// special (10 %), or the token itself (10 %). all: always [MASK], so that no score counts a token that the model sees.
enum class Hiding { bert, all };

/// UsageError if an input of that many tokens has no room for [CLS], the [SEP]s and a token before each of them; with
/// `gaps`, for those of gap_example().
void check_max_length(int64_t max_length, Objective objective, bool gaps = false);

struct ExampleOptions {
  int64_t max_length = 4096;    // tokens, [CLS] and [SEP]s included
  double mask_fraction = 0.15;  // share of the tokens that are chosen
  Hiding hiding = Hiding::bert;
  double short_sequence_probability = 0.1;  // BERT's: examples of a random shorter length
  Objective objective = Objective::mlm_nsp;
  double gaps = 0;                  // next: share of the examples whose middle stands behind its flanks
  GapPart gap_part = GapPart::all;  // what is predicted in these
  uint64_t seed = 1;
};

/// Chooses the tokens that are to be predicted in an example, and hides them: round(fraction x) of its x tokens that
/// are not special, at least one, with each set equally likely. Both ways of hiding choose the same tokens.
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
  std::vector<uint8_t> maskable_;  // by id, for all ids of 16 bits; 0 for those past the vocabulary
};

/// Sets masked and masked_labels of [CLS] A [SEP] so that each position predicts the token behind it: all tokens of A
/// that are not special.
void predict_next_tokens(Example& example, const tokenizer::Vocabulary& vocabulary);

/// Examples of a part of a corpus. Let P be the number of tokens that fit beside [CLS] and [SEP]s: max_length - 3, or
/// max_length - 2 without NSP.
///
/// A document of T tokens gives ceil(T / P) examples per epoch: stretches of P tokens (all T if there are fewer),
/// spread evenly over the document and shifted at random by no more than they overlap, so that no token between them is
/// left out. A short example (short_sequence_probability) is a random part of its stretch, of at least 2 tokens.
///
/// mlm_nsp: the stretch is cut at a random sentence boundary within it (between any two tokens if it has none). A is
/// what lies before the cut. B is what follows or, in half of the examples, as many tokens from the start of a random
/// sentence on; its document is drawn in proportion to its number of examples, and drawn again if it overlaps the bases
/// of the stretch. [CLS] A [SEP] has token type 0, B [SEP] type 1; targets is {1} if B does not follow A. mlm: [CLS] A
/// [SEP], where A is the whole stretch; no targets. next: the same, and every token of A is predicted.
///
/// Masking: see Masker. next hides nothing: `masked` are the positions before the tokens of A, whose outputs predict
/// them (predict_next_tokens()). gaps: of so many examples draw_gap() takes a middle from the bases of A. The parts are
/// tokenised anew, and are an example of their own form (gap_example()). They are not if A has fewer than 3 bases or a
/// special token, or if the middle has an N or more tokens than fit.
///
/// Thread-safe: make() may be called from any thread.
class ExampleSource {
 public:
  /// Error: a vocabulary without [CLS], [SEP] or [MASK]. UsageError: invalid options.
  ExampleSource(std::shared_ptr<const Corpus> corpus, const tokenizer::Vocabulary& vocabulary, ExampleOptions options);
  /// Number of examples in one epoch: the sum of ceil(T / P) over documents.
  int64_t size() const;
  /// Example `index` in [0, size()) of `epoch`, in that epoch's shuffled order (a keyed permutation).
  Example make(int64_t epoch, int64_t index) const;
  /// The middle and the flanks of such an example, whole; nullopt for any other.
  std::optional<Gap> gap(int64_t epoch, int64_t index) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace bigdna::corpus
