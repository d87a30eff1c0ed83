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
#include "mlm/passage_cut.h"
#include "model_folder/model_folder.h"
#include "tokenizer/encoder.h"

namespace bigdna::mlm {

struct PassageOptions {
  std::string data;             // a corpus folder, or a FASTA
  std::string regions;          // for a FASTA: a BED of what to score; "": what the first model held out
  std::string repeats;          // a BED; "": the lower case of a FASTA
  std::string contigs = "all";  // of a FASTA, of which sequence is scored; the baselines are trained on all of them
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;  // of a FASTA
  std::vector<PassageReader> readers;                                // one for each vocabulary of the models
  int64_t tokens = 1'000'000;  // scores about this many at most, of the vocabulary that has most; drawn by the seed
  uint64_t seed = 1;
  int threads = 1;
};

class Passages {
 public:
  /// Of a corpus folder, the validation part is scored and the training part trains the baselines. A FASTA is tokenised
  /// in a temporary folder: the regions are scored, and the first model's training intervals (without the regions)
  /// train the baselines. Warns if scored sequence overlaps a model's training intervals, if the FASTA is another file
  /// than the first model's genome, and if it lacks contigs of that model's intervals. Adjacent documents form one
  /// stretch of genome, which PassageCutter cuts. Error: nothing to score; `repeats` has no interval on a contig that
  /// is scored. UsageError: data that can be read only once.
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

}  // namespace bigdna::mlm
