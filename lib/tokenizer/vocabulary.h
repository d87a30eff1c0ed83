/// A BPE vocabulary: special tokens, then pieces in the order of their merges. On disk it is SentencePiece's
/// ModelProto.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace bigdna::tokenizer {

using TokenId = int32_t;

/// Ids of the special tokens: 0 to 4 in bigdna's vocabularies, -1 for one that another project's vocabulary lacks.
struct SpecialTokens {
  TokenId pad = 0, unk = 1, cls = 2, sep = 3, mask = 4;
  bool operator==(const SpecialTokens&) const = default;
};

struct Piece {
  std::string text;
  float score = 0;       // BPE: minus the merge's rank; higher merges first
  bool special = false;  // control, unknown or user-defined: never produced from text, spans 0 bases
};

/// What happens around the merges. The defaults are SentencePiece's; other projects' vocabularies differ.
struct TextRules {
  bool fuse_unknown = true;   // a run of unknown characters is one [UNK]; false: one for each
  bool dummy_prefix = false;  // SentencePiece's U+2581 is put before the text
  int64_t long_n = 0;         // GENA-LM: a run of at least this many N (0: no such rule) ...
  TokenId long_n_token = -1;  // ... becomes this token
  // Of text, before all else. None changes bases, which are normalised already, so none is part of the hash.
  std::map<char, char> letters{};  // letters that become others: a to A, R to N ...
  std::string normaliser{};        // a SentencePiece model's own rules (a serialised NormalizerSpec), if it has some
  // The same, of a tokenizer.json. What they do to characters beyond ASCII is not known: such text is an error.
  enum class Words { together, blanks, letters };  // a text is one word; cut at blanks; also between \w and others
  Words words = Words::together;
  bool strip_left = false, strip_right = false;  // blanks at the ends of the text
  std::vector<std::string> unicode{};            // normalisers that leave ASCII as it is: NFC, StripAccents ...
  std::string isolated{};                        // a text that is a word of its own wherever it stands
  bool added_tokens = false;                     // special tokens are cut out of text: one that holds any is an error
  std::string other_frame{};  // how what is put around a sequence differs from [CLS] and [SEP]; "" if it does not
  bool changes_text() const {
    return words != Words::together || strip_left || strip_right || !unicode.empty() || !isolated.empty();
  }
  bool operator==(const TextRules&) const = default;
};

/// A merge of two tokens, by id. Their concatenated texts are a piece.
using Merge = std::array<TokenId, 2>;

/// The letters that bigdna's own vocabularies change, as readers of FASTA do (genome::changed_letters()): none if one
/// of these pieces holds such a letter.
std::map<char, char> letters_of_nucleotides(const std::vector<Piece>& pieces);

class Vocabulary {
 public:
  /// `merges` are the allowed ones, best first (tokenizers' BPE). If there are none, any two tokens whose concatenated
  /// texts are a piece merge, with that piece's score (SentencePiece's BPE). Error: two pieces with the same text.
  Vocabulary(std::vector<Piece> pieces, SpecialTokens special, std::vector<Merge> merges = {}, TextRules rules = {});

  /// Reads a SentencePiece .model, a tokenizer.json (tokenizers' BPE), or a model/vocabulary folder holding
  /// one (spiece.model, dna.model, tokenizer.json). Error naming the file and what is not supported.
  static Vocabulary load(const std::string& path);
  /// The file that load() reads of a folder; nullopt if it has none.
  static std::optional<std::string> file_in(const std::string& folder);
  /// Whether SentencePiece's format can hold it: not with explicit merges, GENA-LM's rule for N, or one [UNK] per
  /// unknown character.
  bool fits_sentencepiece() const;
  /// Writes a ModelProto that stock SentencePiece 0.2.1 loads: BPE, and the normaliser that was read, or else one that
  /// changes `letters` alone. Error unless fits_sentencepiece().
  void save_model(const std::string& path) const;
  /// SentencePiece's .vocab: piece, tab, score.
  void save_text(const std::string& path) const;
  /// tokenizer.json for transformers' AutoTokenizer (docs/semantics.md), and tokenizer_config.json with the special
  /// tokens; `max_length` in tokens, 0: none. `token_types`: whether the model takes them.
  void save_tokenizer_json(const std::string& path) const;
  void save_tokenizer_config(const std::string& path, int64_t max_length, bool token_types) const;

  int64_t size() const { return static_cast<int64_t>(pieces_.size()); }
  const Piece& piece(TokenId id) const { return pieces_[static_cast<size_t>(id)]; }
  const std::vector<Piece>& pieces() const { return pieces_; }
  const SpecialTokens& special() const { return special_; }
  const std::vector<Merge>& merges() const { return merges_; }
  const TextRules& rules() const { return rules_; }
  /// Id of a piece, or -1.
  TokenId find(std::string_view text) const;
  bool is_special(TokenId id) const { return pieces_[static_cast<size_t>(id)].special; }
  /// Bases that a token covers: the length of its text, 0 for special tokens ([UNK] covers 1 base or more in a text).
  int bases(TokenId id) const { return is_special(id) ? 0 : static_cast<int>(piece(id).text.size()); }
  bool contains_n(TokenId id) const { return !is_special(id) && piece(id).text.find('N') != std::string::npos; }
  /// The tokens of A, C, G and T alone, ascending.
  std::vector<TokenId> base_tokens() const;
  /// Length of the longest piece that is not special, in bases; at least 1.
  int64_t longest_piece() const;
  /// Mean length of the pieces that are not special, in bases ("8.8 bp on average").
  double mean_piece_length() const;
  /// MD5 of pieces, scores, merges and what rules bases: corpora and models record it of their vocabulary.
  std::string hash() const;

 private:
  std::vector<Piece> pieces_;
  SpecialTokens special_;
  std::vector<Merge> merges_;
  TextRules rules_;
  std::unordered_map<std::string, TokenId> ids_;
};

}  // namespace bigdna::tokenizer
