#include "tokenizer/encoder.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/error.h"
#include "base/threads.h"
#include "tokenizer/dna_tables.h"
#include "tokenizer/packed_text.h"
#include "tokenizer/piece_trie.h"
#include "tokenizer/sentencepiece_normaliser.h"

namespace bigdna::tokenizer {
namespace {

constexpr size_t kAnyLength = SIZE_MAX;

/// A thread's scratch memory, reused because most texts are short.
struct Scratch {
  PackedText packed;
  std::vector<uint64_t> boundary;  // one bit per position: cleared once no token can end there
  std::vector<TokenId> tokens;     // the chosen tokens: numbers of DnaTables, or id + kGeneral
};

/// Numbers from here on are ids of the general path in Scratch::tokens.
constexpr TokenId kGeneral = DnaTables::kNone;

}  // namespace

/// Longest match with backtracking: at each position it takes the longest piece that matches and stays apart from the
/// token before it. If there is none, the token before was wrong, and a shorter one is tried. The tokens up to a
/// position are unique, so a position that failed once is never a boundary, and the work is linear in the text.
struct Encoder::State {
  explicit State(Vocabulary v)
      : vocabulary(std::move(v)),
        merges(vocabulary),
        pairs(vocabulary, merges),
        dna(vocabulary, pairs),
        trie(vocabulary, pairs) {
    if (dna.usable()) find_lead();
    if (const auto& rules = vocabulary.rules().normaliser; !rules.empty()) {
      normaliser.emplace(rules);
      prefix = (*normaliser)("A").text;  // a blank, where blanks are not escaped
      prefix.resize(prefix.size() - 1);
    }
  }
  Vocabulary vocabulary;
  std::optional<SentencePieceNormaliser> normaliser;
  std::string prefix = "\u2581";  // SentencePiece's dummy prefix
  MergeTable merges;
  TokenBoundary pairs;
  DnaTables dna;
  PieceTrie trie;
  size_t lead = 0;  // the most bases at the beginning of a piece that does not consist of bases alone

  void find_lead() {
    for (const Piece& piece : vocabulary.pieces()) {
      const auto end = std::find_if_not(piece.text.begin(), piece.text.end(), DnaTables::is_base);
      if (!piece.special && end != piece.text.end())
        lead = std::max(lead, static_cast<size_t>(end - piece.text.begin()));
    }
  }

  TokenId id(TokenId token) const { return token < kGeneral ? dna.id(static_cast<uint16_t>(token)) : token - kGeneral; }
  size_t length(TokenId token, std::string_view text) const {
    if (token < kGeneral) return dna.length(static_cast<uint16_t>(token));
    const TokenId id = token - kGeneral;
    return id == vocabulary.special().unk ? character_length(text) : vocabulary.piece(id).text.size();
  }
  bool stay_apart(TokenId a, TokenId b) const {
    if (a < kGeneral && b < kGeneral) return dna.stay_apart(static_cast<uint16_t>(a), static_cast<uint16_t>(b));
    return pairs.stay_apart(id(a), id(b));
  }

  /// The longest token of fewer than `limit` bytes that matches at `at`; -1 if there is none.
  TokenId choose(std::string_view text, size_t at, size_t limit, Scratch& scratch) const {
    const TokenId before = scratch.tokens.empty() ? -1 : scratch.tokens.back();
    const auto possible = [&](size_t end, TokenId token) {
      return (scratch.boundary[end / 64] >> (end % 64) & 1) && (before < 0 || stay_apart(before, token));
    };
    const size_t bases = dna.usable() ? scratch.packed.run_end(at) - at : 0;
    if (bases == 0 || bases <= lead) {
      const std::string_view rest = text.substr(at);
      for (auto match = trie.longest(rest, limit); match.id >= 0 && match.length > bases;
           match = trie.longest(rest, match.length))
        if (possible(at + match.length, kGeneral + match.id)) return kGeneral + match.id;
      if (bases == 0) {
        const size_t length = character_length(rest);
        const bool known = trie.longest(rest, length + 1).length == length;
        const TokenId unknown = kGeneral + vocabulary.special().unk;
        return !known && length < limit && possible(at + length, unknown) ? unknown : -1;
      }
    }
    const uint32_t window = scratch.packed.window(at);
    uint32_t lengths = dna.lengths_at(window);
    if (const size_t most = std::min(bases, limit - 1); most < DnaTables::kLongest) lengths &= (1u << most) - 1;
    while (lengths) {
      const auto length = static_cast<uint32_t>(32 - __builtin_clz(lengths));
      lengths ^= 1u << (length - 1);
      const size_t end = at + length;
      if (!(scratch.boundary[end / 64] >> (end % 64) & 1)) continue;
      const uint16_t token = dna.piece_at(window, length);
      if (token != DnaTables::kNone && (before < 0 || stay_apart(before, token))) return token;
    }
    if (dna.lengths_at(window) & 1) return -1;
    const TokenId unknown = kGeneral + vocabulary.special().unk;  // a base that is not a piece
    return dna.piece_at(window, 1) == DnaTables::kNone && limit > 1 && possible(at + 1, unknown) ? unknown : -1;
  }

  /// Writes the tokens of `text` to scratch.tokens.
  void tokenise(std::string_view text, Scratch& scratch) const {
    scratch.tokens.clear();
    scratch.boundary.assign(text.size() / 64 + 1, ~uint64_t{0});
    if (dna.usable()) scratch.packed.assign(text);
    size_t limit = kAnyLength;
    for (size_t at = 0; at < text.size();) {
      const TokenId token = choose(text, at, limit, scratch);
      if (token >= 0) {
        at += length(token, text.substr(at));
        scratch.tokens.push_back(token);
        limit = kAnyLength;
      } else {
        scratch.boundary[at / 64] &= ~(uint64_t{1} << (at % 64));
        const TokenId wrong = scratch.tokens.back();
        scratch.tokens.pop_back();
        // An unknown character's length is found from its start, which is its last byte that does not
        // continue one.
        limit = wrong == kGeneral + vocabulary.special().unk ? unknown_length(text, at) : length(wrong, text);
        at -= limit;
      }
    }
  }
  static size_t unknown_length(std::string_view text, size_t end) {
    size_t begin = end - 1;
    while (begin > 0 && end - begin < 4 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
    return character_length(text.substr(begin, end - begin)) == end - begin ? end - begin : 1;
  }

  /// Calls emit(id, begin) for the tokens of text, `offset` bases into the sequence.
  template <class Emit>
  void encode_stretch(std::string_view text, size_t offset, bool prefixed, const Emit& emit) const {
    static thread_local Scratch scratch;
    tokenise(text, scratch);
    const TokenId unknown = vocabulary.special().unk;
    size_t at = 0;
    bool after_unknown = false;
    for (const TokenId token : scratch.tokens) {
      const TokenId id = this->id(token);
      if (id != unknown || !after_unknown || !vocabulary.rules().fuse_unknown)
        emit(id, offset + (prefixed ? at - std::min(at, prefix.size()) : at));
      after_unknown = id == unknown;
      at += length(token, text.substr(at));
    }
  }

  template <class Emit>
  void encode(std::string_view bases, const Emit& emit) const {
    const TextRules& rules = vocabulary.rules();
    if (bases.empty()) return;
    if (rules.dummy_prefix) return encode_stretch(std::string(prefix).append(bases), 0, true, emit);
    size_t begin = 0;
    for (size_t at = rules.long_n ? std::min(bases.find('N'), bases.size()) : bases.size(); at < bases.size();) {
      const size_t end = std::min(bases.find_first_not_of('N', at), bases.size());
      if (static_cast<int64_t>(end - at) >= rules.long_n) {
        encode_stretch(bases.substr(begin, at - begin), begin, false, emit);
        emit(rules.long_n_token, at);
        begin = end;
      }
      at = std::min(bases.find('N', end), bases.size());
    }
    encode_stretch(bases.substr(begin), begin, false, emit);
  }
};

Encoder::Encoder(Vocabulary vocabulary) : state_(std::make_unique<State>(std::move(vocabulary))) {}
Encoder::~Encoder() = default;
Encoder::Encoder(Encoder&&) noexcept = default;

const Vocabulary& Encoder::vocabulary() const { return state_->vocabulary; }

Encoding Encoder::encode(std::string_view bases) const {
  Encoding encoding;
  state_->encode(bases, [&](TokenId id, size_t begin) {
    encoding.ids.push_back(id);
    encoding.begins.push_back(static_cast<int64_t>(begin));
  });
  encoding.begins.push_back(static_cast<int64_t>(bases.size()));
  return encoding;
}

namespace {

/// Replaces the end of `whole` by `part` from the first token on that is in both; false if there is none. All pairs of
/// neighbours in the result were neighbours before, so it is what encoding all of the text gives (pair_test.h). A token
/// of N, or an unknown one, may be cut off in one of them.
bool join(Encoding& whole, const Encoding& part, const Vocabulary& vocabulary) {
  size_t k = static_cast<size_t>(std::lower_bound(whole.begins.begin(), whole.begins.end(), part.begins[0]) -
                                 whole.begins.begin());
  for (size_t j = 0; j < part.size() && k < whole.size();) {
    if (whole.begins[k] != part.begins[j]) {
      ++(whole.begins[k] < part.begins[j] ? k : j);
      continue;
    }
    const TokenId id = part.ids[j];
    if (whole.ids[k] == id && !vocabulary.is_special(id) && !vocabulary.contains_n(id)) {
      whole.ids.resize(k);
      whole.begins.resize(k);
      whole.ids.insert(whole.ids.end(), part.ids.begin() + static_cast<std::ptrdiff_t>(j), part.ids.end());
      whole.begins.insert(whole.begins.end(), part.begins.begin() + static_cast<std::ptrdiff_t>(j), part.begins.end());
      return true;
    }
    ++k, ++j;
  }
  return false;
}

}  // namespace

Encoding Encoder::encode(std::string_view bases, int threads) const {
  constexpr size_t kPart = 1 << 20, kOverlap = 1 << 14;
  if (threads <= 1 || bases.size() < 2 * kPart || vocabulary().rules().dummy_prefix) return encode(bases);
  std::vector<size_t> begins{0};  // of the parts; none begins inside a run of N
  for (size_t at = kPart; at + kPart <= bases.size(); at += kPart) {
    const size_t begin = bases.find_first_not_of('N', at);
    if (begin != std::string_view::npos && begin > begins.back()) begins.push_back(begin);
  }
  const auto encode_from = [&](size_t begin, size_t end) {
    Encoding part = encode(bases.substr(begin, end - begin));
    for (int64_t& at : part.begins) at += static_cast<int64_t>(begin);
    return part;
  };
  std::vector<Encoding> parts(begins.size());
  parallel_for(static_cast<int64_t>(begins.size()), threads, [&](int64_t part) {
    const auto i = static_cast<size_t>(part);
    const size_t end = i + 1 < begins.size() ? begins[i + 1] + kOverlap : bases.size();
    parts[i] = encode_from(begins[i], std::min(end, bases.size()));
  });
  Encoding whole = std::move(parts[0]);
  for (size_t i = 1; i < parts.size(); ++i) {
    if (join(whole, std::exchange(parts[i], {}), vocabulary())) continue;
    // A repeat longer than the overlap, which the two parts cut in different phases: the rest is encoded in one piece.
    return join(whole, encode_from(begins[i - 1], bases.size()), vocabulary()) ? whole : encode(bases);
  }
  return whole;
}

namespace {
/// Where the words of a line of ASCII begin and end, as a tokenizer.json cuts it.
std::vector<std::pair<size_t, size_t>> words_of(std::string_view text, const TextRules& rules) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const auto is_blank = [&](char c) { return kBlanks.find(c) != kBlanks.npos; };
  const auto kind_of = [&](char c) {  // characters of one kind stay together
    if (rules.words == TextRules::Words::together) return 1;
    if (is_blank(c)) return 0;
    return rules.words == TextRules::Words::letters && c != '_' && !std::isalnum(static_cast<unsigned char>(c)) ? 2 : 1;
  };
  size_t begin = 0, end = text.size();
  while (rules.strip_left && begin < end && is_blank(text[begin])) ++begin;
  while (rules.strip_right && begin < end && is_blank(text[end - 1])) --end;
  std::vector<std::pair<size_t, size_t>> words;
  for (size_t at = begin; at < end;) {
    const size_t from = at;
    if (!rules.isolated.empty() && text.substr(at, end - at).starts_with(rules.isolated)) {
      at += rules.isolated.size();
    } else {
      const auto isolated = rules.isolated.empty() ? end : std::min(text.find(rules.isolated, at), end);
      while (at < isolated && kind_of(text[at]) == kind_of(text[from])) ++at;
    }
    if (kind_of(text[from])) words.emplace_back(from, at);
  }
  return words;
}
}  // namespace

Encoding Encoder::encode_text(std::string_view line, int threads) const {
  const auto& rules = vocabulary().rules();
  if (rules.added_tokens)
    for (const Piece& piece : vocabulary().pieces())
      if (piece.special && line.find(piece.text) != line.npos)
        fail("the text holds the token ", piece.text, ", which is not read in text");
  if (state_->normaliser) {
    const auto [text, origins] = (*state_->normaliser)(line);
    Encoding encoding;
    state_->encode_stretch(text, 0, false, [&](TokenId id, size_t begin) {
      encoding.ids.push_back(id);
      encoding.begins.push_back(static_cast<int64_t>(origins[begin]));
    });
    encoding.begins.push_back(static_cast<int64_t>(line.size()));
    return encoding;
  }
  std::string changed(line);
  if (!rules.letters.empty())
    for (char& c : changed)
      if (const auto found = rules.letters.find(c); found != rules.letters.end()) c = found->second;
  if (!rules.changes_text()) return encode(changed, threads);
  if (std::ranges::any_of(line, [](unsigned char c) { return c >= 128; }))
    fail("the text has characters beyond ASCII, to which the rules of the vocabulary's tokenizer.json are not applied");
  Encoding encoding;
  for (const auto& [begin, end] : words_of(changed, rules)) {
    const auto word = encode(std::string_view(changed).substr(begin, end - begin), threads);
    encoding.ids.insert(encoding.ids.end(), word.ids.begin(), word.ids.end());
    for (size_t i = 0; i < word.size(); ++i) encoding.begins.push_back(word.begins[i] + static_cast<int64_t>(begin));
  }
  encoding.begins.push_back(static_cast<int64_t>(line.size()));
  return encoding;
}

void Encoder::encode_ids(std::string_view bases, std::vector<TokenId>& ids) const {
  state_->encode(bases, [&](TokenId id, size_t) { ids.push_back(id); });
}

}  // namespace bigdna::tokenizer
