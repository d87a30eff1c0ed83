/// The held-out sequence that `bigdna evaluate mlm` scores: passages of bases, the same for every model whatever its
/// vocabulary, and what the baselines are counted on.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "corpus/examples.h"
#include "genome/alphabet.h"
#include "genome/interval_set.h"
#include "metrics/ngram.h"
#include "model_folder/model_folder.h"
#include "tokenizer/encoder.h"

namespace bigdna::mlm {

struct Passage {
  genome::Region region;           // '-': `bases` are of the reverse strand
  std::string bases;
  std::vector<int64_t> sentences;  // where each starts in `bases`, the first 0: they are tokenised one by one, as in training
};

struct PassageOptions {
  std::string data;      // a corpus folder, or a FASTA
  std::string regions;   // FASTA: a BED of what to score; "": what the first model's folder says was held out
  std::string repeats;   // a BED; "": a FASTA's lower case
  std::string contigs = "primary";
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;  // of a FASTA
  int64_t length = 4096;          // of a passage, in tokens of the first model
  int64_t tokens = 1'000'000;     // scored at most, about; drawn by the seed where there are more
  uint64_t seed = 1;
  int threads = 1;
};

class Passages {
 public:
  /// A corpus folder gives its validation part, and its training part to the baselines. A FASTA is tokenised in a
  /// temporary folder: the regions are scored, the first model's training intervals (without the regions) train the
  /// baselines. Warns where what is scored meets a model's training intervals. Documents that follow one another are
  /// one stretch of genome, cut into passages of `length` tokens; what is left at its end is not scored, but for a
  /// stretch that is shorter than one passage. Error: nothing to score; `repeats` on no contig that is scored.
  Passages(const PassageOptions& options, const std::vector<model_folder::ModelFolder>& models);
  ~Passages();

  /// In the genome's order.
  const std::vector<Passage>& passages() const { return passages_; }
  bool knows_repeats() const { return repeats_.has_value(); }
  /// More than half of bases [begin, end) of a passage are repeats.
  bool repetitive(const Passage& passage, int64_t begin, int64_t end) const;
  /// n-grams of the training sequence in a vocabulary; none where no training sequence is known.
  std::optional<metrics::NgramModel> train_ngrams(const tokenizer::Encoder& encoder) const;

 private:
  struct Source;
  std::unique_ptr<Source> source_;
  std::vector<Passage> passages_;
  std::optional<genome::IntervalSet> repeats_;
};

/// A passage in a vocabulary, with its masked tokens chosen.
struct MaskedPassage {
  corpus::Example tokens;                // no special tokens; ids, masked, masked_labels
  std::vector<int64_t> begins;           // first base of each token, within the passage; one more: its length
  std::vector<int64_t> sentence_tokens;  // first token of each sentence
};
MaskedPassage mask_passage(const Passage& passage, const tokenizer::Encoder& encoder, const corpus::Masker& masker, Rng rng);

/// The inputs that show a passage to a model of `context` tokens, special ones included: as few windows as hold it, of equal
/// size, side by side, so that every masked token is in one of them. [CLS] window [SEP]; with `pairs` [CLS] A [SEP] B [SEP],
/// cut at the sentence start nearest to the middle (any token where a window holds none), with targets {0}: B follows A.
/// Windows without a masked token are left out.
std::vector<corpus::Example> windows(const MaskedPassage& passage, int64_t context, const tokenizer::SpecialTokens& special, bool pairs);
/// Room for tokens of the text in a context: as if there were three special tokens, whether there are or not, so that all
/// models see the same windows.
constexpr int64_t room(int64_t context) { return context - 3; }

}  // namespace bigdna::mlm
