/// How a stretch of genome is cut into the passages that `bigdna evaluate mlm` scores, so that they fit the windows of
/// every model, whatever its vocabulary and in whichever order the models are named.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "genome/region.h"
#include "tokenizer/encoder.h"

namespace bigdna::mlm {

struct Passage {
  genome::Region region;  // with '-', `bases` are on the reverse strand
  std::string bases;
  // their starts in `bases`, the first 0; they are tokenised one by one, as in training
  std::vector<int64_t> sentences;
};

struct TokenizedPassage {
  std::vector<tokenizer::TokenId> ids;
  std::vector<int64_t> begins;           // first base of each token, within the passage; the last entry is its length
  std::vector<int64_t> sentence_tokens;  // first token of each sentence
  int64_t tokens() const { return static_cast<int64_t>(ids.size()); }
};
TokenizedPassage tokenise(const Passage& passage, const tokenizer::Encoder& encoder);

/// Tokens of text that fit a context. Always reserves three special tokens, so that all models see the same windows.
constexpr int64_t room(int64_t context) { return context - 3; }

/// A vocabulary, and the longest and the shortest context at which its models are scored.
struct PassageReader {
  const tokenizer::Vocabulary* vocabulary;  // outlives what is made of it
  int64_t longest, shortest;
};

/// A passage is as long as the model that reads the most bases at once can take: its longest context, less a hundredth,
/// because cutting a sentence in two may add a token. A model of another vocabulary that reads fewer bases gets the
/// passage in a whole number of windows, as near to full as that comes; one that needs a few tokens more than its
/// context shortens the passages of all, rather than see every passage in two halves.
class PassageCutter {
 public:
  /// `stretches`: by which the tokens per base of each vocabulary are counted, if there are several.
  PassageCutter(const std::vector<PassageReader>& readers, const std::vector<Passage>& stretches);
  /// The passages of a stretch; the rest at its end is none, unless the whole stretch is shorter than a passage.
  std::vector<Passage> cut(const Passage& stretch) const;
  /// Tokens of a passage in the vocabulary that has the most.
  int64_t tokens_of(const Passage& passage) const;
  /// Whether the stretch holds a passage of full length.
  bool fills(const Passage& stretch) const;
  /// Tokens of a passage of full length in the vocabulary that has the most.
  int64_t tokens() const { return tokens_; }

 private:
  struct Reader {
    std::shared_ptr<const tokenizer::Encoder> encoder;
    int64_t limit, most;  // tokens of a passage: aimed at, and what its windows hold
  };
  bool too_long(const Passage& passage, std::vector<int64_t>& limits) const;

  std::vector<Reader> readers_;
  int64_t tokens_ = 1;
};

}  // namespace bigdna::mlm
