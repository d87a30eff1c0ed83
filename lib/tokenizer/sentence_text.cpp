#include "tokenizer/sentence_text.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>

#include "base/error.h"
#include "tokenizer/merge_table.h"

namespace bigdna::tokenizer {
namespace {

/// Numbers characters in the order in which they first occur.
class Alphabet {
 public:
  Alphabet() { ascii_.fill(SentenceText::kEnd); }
  uint8_t of(std::string_view character) {
    if (character.size() == 1 && static_cast<unsigned char>(character[0]) < 128) {
      uint8_t& symbol = ascii_[static_cast<unsigned char>(character[0])];
      if (symbol == SentenceText::kEnd) symbol = add(character);
      return symbol;
    }
    const auto found = wide_.find(std::string(character));
    return found != wide_.end() ? found->second : wide_[std::string(character)] = add(character);
  }
  const std::vector<std::string>& characters() const { return characters_; }

 private:
  uint8_t add(std::string_view character) {
    if (characters_.size() == SentenceText::kMostSymbols)
      fail("the sentences hold more than ", SentenceText::kMostSymbols, " different characters; is this DNA?");
    characters_.emplace_back(character);
    return static_cast<uint8_t>(characters_.size() - 1);
  }
  std::array<uint8_t, 128> ascii_;
  std::unordered_map<std::string, uint8_t> wide_;
  std::vector<std::string> characters_;
};

}  // namespace

SentenceText read_sentences(const SentenceSource& sentences, int64_t memory) {
  SentenceText text;
  Alphabet alphabet;
  while (auto sentence = sentences()) {
    if (sentence->empty()) continue;
    const size_t needed = text.size + sentence->size() + 1;
    if (memory > 0 && needed > static_cast<size_t>(memory))
      fail("the sentences alone take more memory than --memory, ", memory, " bytes");
    if (needed > text.tokens.capacity()) text.tokens.grow(needed + needed / 2 + (size_t{64} << 20));
    uint8_t* out = text.tokens.data() + text.size;
    for (std::string_view rest = *sentence; !rest.empty();) {
      const size_t length = character_length(rest);
      *out++ = alphabet.of(rest.substr(0, length));
      rest.remove_prefix(length);
    }
    *out++ = SentenceText::kEnd;
    text.size = static_cast<size_t>(out - text.tokens.data());
  }
  if (alphabet.characters().empty()) fail("no sentence to train a vocabulary on");

  uint8_t* const tokens = text.tokens.data();
  std::array<uint64_t, 256> counts{};
  for (size_t i = 0; i < text.size; ++i) ++counts[tokens[i]];
  // Number them as SentencePiece lists them: the most frequent first, then by code point (as UTF-8 sorts).
  const auto& characters = alphabet.characters();
  std::vector<size_t> order(characters.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return counts[a] != counts[b] ? counts[a] > counts[b] : characters[a] < characters[b];
  });
  std::array<uint8_t, 256> number{};
  number[SentenceText::kEnd] = SentenceText::kEnd;
  for (size_t i = 0; i < order.size(); ++i) {
    number[order[i]] = static_cast<uint8_t>(i);
    text.symbols.push_back(characters[order[i]]);
  }
  for (size_t i = 0; i < text.size; ++i) tokens[i] = number[tokens[i]];
  return text;
}

}  // namespace bigdna::tokenizer
