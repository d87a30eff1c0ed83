/// The held-out sequence that `bigdna evaluate mlm` scores: passages of bases, the same for every model whatever its
/// vocabulary; and the sequence on which the n-gram baselines are counted.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "corpus/examples.h"
#include "genome/alphabet.h"
#include "genome/interval_set.h"
#include "mlm/mlm.h"
#include "model_folder/model_folder.h"
#include "tokenizer/encoder.h"

namespace bigdna::mlm {

struct Passage {
  genome::Region region;  // with '-', `bases` are on the reverse strand
  std::string bases;
  // their starts in `bases`, the first 0; they are tokenised one by one, as in training
  std::vector<int64_t> sentences;
};

struct PassageOptions {
  std::string data;     // a corpus folder, or a FASTA
  std::string regions;  // for a FASTA: a BED of what to score; "": what the first model held out
  std::string repeats;  // a BED; "": the lower case of a FASTA
  std::string contigs = "primary";
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;  // of a FASTA
  int64_t length = 4096;                                             // of a passage, in tokens of the first model
  int64_t tokens = 1'000'000;  // scores about this many at most, drawn by the seed
  uint64_t seed = 1;
  int threads = 1;
};

class Passages {
 public:
  /// Of a corpus folder, the validation part is scored and the training part trains the baselines. A FASTA is tokenised
  /// in a temporary folder: the regions are scored, and the first model's training intervals (without the regions)
  /// train the baselines. Warns if scored sequence overlaps a model's training intervals. Adjacent documents form one
  /// stretch of genome, which is cut into passages of `length` tokens; the rest at its end is not scored, unless the
  /// whole stretch is shorter than a passage. Error: nothing to score; `repeats` has no interval on a contig that is
  /// scored.
  Passages(const PassageOptions& options, const std::vector<model_folder::ModelFolder>& models);
  ~Passages();

  /// In the genome's order.
  const std::vector<Passage>& passages() const { return passages_; }
  bool knows_repeats() const { return repeats_.has_value(); }
  /// Whether more than half of the bases [begin, end) of a passage are repeats.
  bool repetitive(const Passage& passage, int64_t begin, int64_t end) const;
  /// mlm::train_ngrams() of the training sequence in a vocabulary; nullopt if the training sequence is unknown.
  std::optional<CountedNgrams> train_ngrams(const tokenizer::Encoder& encoder, uint64_t seed) const;
  /// Passages of the training sequence, of about `tokens` tokens in all, drawn by the seed; as many as there are if
  /// these are fewer, and none if the training sequence is unknown. They are as long as those that are scored.
  std::vector<Passage> training_passages(int64_t tokens, uint64_t seed) const;

 private:
  struct Source;
  std::unique_ptr<Source> source_;
  int64_t length_;  // of a passage, in tokens of the first model
  std::vector<Passage> passages_;
  std::optional<genome::IntervalSet> repeats_;
};

/// A passage in a vocabulary, with its masked tokens chosen.
struct MaskedPassage {
  corpus::Example tokens;                // no special tokens; ids, masked, masked_labels
  std::vector<int64_t> begins;           // first base of each token, within the passage; the last entry is its length
  std::vector<int64_t> sentence_tokens;  // first token of each sentence
};
MaskedPassage mask_passage(const Passage& passage, const tokenizer::Encoder& encoder, const corpus::Masker& masker,
                           Rng rng);

/// The inputs for a passage and a model of `context` tokens, special ones included: the smallest number of adjacent
/// windows of equal size that cover it, so that every masked token is in one of them. [CLS] window [SEP], or with
/// `pairs` [CLS] A [SEP] B [SEP], cut at the sentence start nearest to the middle (at any token if there is none), with
/// targets {0}: B follows A. Windows without a masked token are left out.
std::vector<corpus::Example> windows(const MaskedPassage& passage, int64_t context,
                                     const tokenizer::SpecialTokens& special, bool pairs);
/// Tokens of text that fit a context. Always reserves three special tokens, so that all models see the same windows.
constexpr int64_t room(int64_t context) { return context - 3; }

}  // namespace bigdna::mlm
