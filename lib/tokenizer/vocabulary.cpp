#include "tokenizer/vocabulary.h"

#include "base/error.h"
#include "io/manifest.h"

namespace bigdna::tokenizer {

Vocabulary::Vocabulary(std::vector<Piece> pieces, SpecialTokens special) : pieces_(std::move(pieces)), special_(special) {
  ids_.reserve(pieces_.size());
  for (size_t i = 0; i < pieces_.size(); ++i)
    if (!ids_.emplace(pieces_[i].text, static_cast<TokenId>(i)).second)
      fail("vocabulary: piece '", pieces_[i].text, "' stands twice");
}

TokenId Vocabulary::find(std::string_view text) const {
  const auto found = ids_.find(std::string(text));
  return found == ids_.end() ? -1 : found->second;
}

double Vocabulary::mean_piece_length() const {
  double sum = 0, count = 0;
  for (const auto& piece : pieces_) {
    if (piece.special) continue;
    sum += static_cast<double>(piece.text.size());
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

std::string Vocabulary::hash() const {
  std::string text;
  for (const auto& piece : pieces_) {
    text += piece.text;
    text += piece.special ? "\x01" : "\x02";
    text += std::to_string(piece.score) + "\n";
  }
  return io::md5_of_bytes(text);
}

}  // namespace bigdna::tokenizer
