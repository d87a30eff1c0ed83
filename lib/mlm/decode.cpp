#include "mlm/decode.h"

#include <string_view>
#include <vector>

namespace bigdna::mlm {

namespace {

/// What a token covers at least.
struct TokenText {
  std::string text;
  bool grows;  // may cover more bases, all the same
};

class Decoder {
 public:
  explicit Decoder(const tokenizer::Vocabulary& vocabulary)
      : vocabulary_(vocabulary), unknown_(vocabulary.find("N") < 0 ? 'N' : '?') {}

  TokenText part(tokenizer::TokenId id, bool first) const {
    const auto& rules = vocabulary_.rules();
    if (rules.long_n > 0 && id == rules.long_n_token)
      return {std::string(static_cast<size_t>(rules.long_n), 'N'), true};
    const bool prefixed = first && rules.dummy_prefix;
    // A prefix without a piece is unknown, alone or with the bases that follow.
    if (vocabulary_.is_special(id)) return {std::string(prefixed ? 0 : 1, unknown_), rules.fuse_unknown};
    std::string_view text = vocabulary_.piece(id).text;
    if (prefixed)
      for (const std::string_view blank : {std::string_view("\u2581"), std::string_view(" ")})
        if (text.starts_with(blank)) text.remove_prefix(blank.size());
    return {std::string(text), false};
  }
  char letter(tokenizer::TokenId id) const { return id == vocabulary_.rules().long_n_token ? 'N' : unknown_; }

 private:
  const tokenizer::Vocabulary& vocabulary_;
  char unknown_;
};

}  // namespace

std::optional<std::string> decode(std::span<const uint16_t> tokens, int64_t length,
                                  const tokenizer::Vocabulary& vocabulary) {
  const Decoder decoder(vocabulary);
  std::vector<TokenText> parts;
  int64_t left = length, growing = 0;
  for (const auto token : tokens) {
    parts.push_back(decoder.part(token, parts.empty()));
    left -= static_cast<int64_t>(parts.back().text.size());
    growing += parts.back().grows;
  }
  if (left < 0 || (left > 0 && growing == 0)) return std::nullopt;
  std::string bases;
  for (size_t i = 0; i < parts.size(); ++i) {
    bases += parts[i].text;
    if (!parts[i].grows) continue;
    const int64_t share = left / growing--;
    bases.append(static_cast<size_t>(share), decoder.letter(tokens[i]));
    left -= share;
  }
  return bases;
}

}  // namespace bigdna::mlm
