#include "tokenizer/encoder.h"

#include "tokenizer/merge_table.h"

namespace bigdna::tokenizer {

struct Encoder::State {
  explicit State(Vocabulary v) : vocabulary(std::move(v)), merges(vocabulary) {}
  Vocabulary vocabulary;
  MergeTable merges;

  /// Calls emit(id, begin) for the tokens of bases[begin, end), which holds no run of N that is a token of
  /// its own.
  template <class Emit>
  void encode_stretch(std::string_view bases, size_t begin, size_t end, const Emit& emit) const {
    std::vector<TokenId> symbols;
    for (size_t i = begin; i < end; ++i) symbols.push_back(vocabulary.find(bases.substr(i, 1)));
    size_t at = begin;
    bool after_unknown = false;
    for (const TokenId token : merges.bpe(symbols)) {
      const bool unknown = token < 0;
      if (!unknown || !after_unknown || !vocabulary.rules().fuse_unknown)
        emit(unknown ? vocabulary.special().unk : token, at);
      after_unknown = unknown;
      at += unknown ? 1 : vocabulary.piece(token).text.size();
    }
  }

  template <class Emit>
  void encode(std::string_view bases, const Emit& emit) const {
    const TextRules& rules = vocabulary.rules();
    if (!rules.long_n) return encode_stretch(bases, 0, bases.size(), emit);
    size_t begin = 0;
    for (size_t at = 0; at < bases.size();) {
      size_t end = std::min(bases.find_first_not_of('N', at), bases.size());
      if (static_cast<int64_t>(end - at) >= rules.long_n) {
        encode_stretch(bases, begin, at, emit);
        emit(rules.long_n_token, at);
        begin = end;
      }
      at = std::min(bases.find('N', end), bases.size());
    }
    encode_stretch(bases, begin, bases.size(), emit);
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

void Encoder::encode_ids(std::string_view bases, std::vector<TokenId>& ids) const {
  state_->encode(bases, [&](TokenId id, size_t) { ids.push_back(id); });
}

}  // namespace bigdna::tokenizer
