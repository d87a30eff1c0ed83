#include "tokenizer/dna_tables.h"

#include <algorithm>
#include <bit>
#include <string_view>

namespace bigdna::tokenizer {

DnaTables::DnaTables(const Vocabulary& vocabulary, const TokenBoundary& pairs) : pairs_(pairs) {
  usable_ = vocabulary.merges().empty();
  number_pieces(vocabulary, pairs);
  usable_ &= !tokens_.empty() && tokens_.size() < kNone;
  if (!usable_) return;
  index_pieces();
  fill_bitmap();
}

void DnaTables::number_pieces(const Vocabulary& vocabulary, const TokenBoundary& pairs) {
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    const std::string& text = vocabulary.piece(id).text;
    if (vocabulary.is_special(id) || text.empty() || !std::all_of(text.begin(), text.end(), is_base)) continue;
    usable_ &= text.size() <= kLongest;
    ids_.push_back(id);
    bases_ += text.size() == 1;
  }
  if (!usable_ || ids_.size() >= kNone) return void(usable_ = false);
  const auto base = [&](TokenId id) { return vocabulary.piece(id).text.size() == 1; };
  const auto score = [&](TokenId id) { return vocabulary.piece(id).score; };
  std::stable_sort(ids_.begin(), ids_.end(), [&](TokenId a, TokenId b) {
    return base(a) != base(b) ? base(a) : !base(a) && score(a) > score(b);
  });
  std::vector<uint16_t> number(static_cast<size_t>(vocabulary.size()), kNone);
  for (size_t i = 0; i < ids_.size(); ++i) number[static_cast<size_t>(ids_[i])] = static_cast<uint16_t>(i);
  for (size_t i = 0; i < ids_.size(); ++i) {
    const TokenId id = ids_[i];
    usable_ &= i <= bases_ || score(id) != score(ids_[i - 1]);
    Token token{0, kNone, kNone};
    for (const char c : vocabulary.piece(id).text) token.code = token.code << 2 | code(c);
    if (pairs.reachable(id) && pairs.left(id) >= 0) {
      token.left = number[static_cast<size_t>(pairs.left(id))];
      token.right = number[static_cast<size_t>(pairs.right(id))];
    }
    tokens_.push_back(token);
    lengths_.push_back(static_cast<uint8_t>(vocabulary.piece(id).text.size()));
    reachable_.push_back(pairs.reachable(id));
    irregular_.push_back(pairs.reachable(id) && !pairs.regular(id));
    any_irregular_ |= irregular_.back() != 0;
  }
}

void DnaTables::index_pieces() {
  short_.assign(offset(9), kNone);
  long_.assign(std::bit_ceil(tokens_.size() * 2 + 2), kFree);
  filter_.assign(std::bit_ceil(tokens_.size() / 4 + 2), 0);  // 16 bits per piece
  shift_ = 64 - std::countr_zero(long_.size());
  filter_shift_ = 58 - std::countr_zero(filter_.size());
  by_prefix_.assign(1 << 16, 0);
  for (size_t t = 0; t < tokens_.size(); ++t) {
    const uint32_t code = tokens_[t].code, length = lengths_[t];
    if (length <= 8) {
      short_[offset(length) + code] = static_cast<uint16_t>(t);
    } else {
      const uint64_t key = hash(code, length);
      filter_[key >> (filter_shift_ + 6)] |= uint64_t{1} << (key >> filter_shift_ & 63);
      uint64_t i = key >> shift_;
      while (long_[i] != kFree) i = (i + 1) & (long_.size() - 1);
      long_[i] = static_cast<uint32_t>(key >> 16 & 0xffff) << 16 | static_cast<uint32_t>(t);
    }
    if (!reachable_[t]) continue;
    const auto flag = static_cast<uint16_t>(1u << (length - 1));
    if (length > 8) {
      by_prefix_[code >> (2 * (length - 8))] |= flag;
    } else {
      const uint32_t rest = 2 * (8 - length);
      for (uint32_t k = 0; k < 1u << rest; ++k) by_prefix_[(code << rest) + k] |= flag;
    }
  }
}

void DnaTables::fill_bitmap() {
  constexpr uint32_t kSide = 1 << kBits;
  bitmap_.assign(size_t{kSide} * kSide / 64, 0);
  const uint32_t count = std::min<uint32_t>(kSide, static_cast<uint32_t>(tokens_.size()));
  // bit(a, b): both tokens once touched, no merge across having come before. The merge of both itself is not
  // asked for.
  const auto touched = [&](uint32_t a, uint32_t b) {
    if (a < bases_ && b < bases_) return true;
    const bool undo_left = a > b;
    const uint32_t x = undo_left ? tokens_[a].right : a, y = undo_left ? b : tokens_[b].left;
    // only irregular tokens, for which no bit is asked, have parts that come later than they do
    if (std::max(x, y) >= count || !bit(x, y)) return false;
    const uint32_t length = uint32_t{lengths_[x]} + lengths_[y];
    if (length > kLongest) return true;
    const uint32_t across = find(tokens_[x].code << (2 * lengths_[y]) | tokens_[y].code, length);
    return across >= (undo_left ? a : b + 1);
  };
  for (uint32_t most = 0; most < count;
       ++most) {  // in the order of the later token, so that the bits that are read are already set
    for (uint32_t other = 0; other <= most; ++other) {
      if (touched(most, other)) bitmap_[(most << kBits | other) >> 6] |= uint64_t{1} << (other & 63);
      if (other != most && touched(other, most)) bitmap_[(other << kBits | most) >> 6] |= uint64_t{1} << (most & 63);
    }
  }
}

bool DnaTables::stay_apart(uint16_t left, uint16_t right) const {
  if (any_irregular_ && (irregular_[left] | irregular_[right])) return pairs_.stay_apart(ids_[left], ids_[right]);
  uint32_t a = left, b = right, limit = kNone;
  Token x = tokens_[a], y = tokens_[b];
  uint32_t length_a = lengths_[a], length_b = lengths_[b];
  while (true) {  // TokenBoundary::walk on packed tokens
    if (length_a + length_b <= kLongest && find(x.code << (2 * length_b) | y.code, length_a + length_b) < limit)
      return false;
    if ((a | b) < 1u << kBits) return bit(a, b);
    if (a > b) {
      limit = a;
      a = x.right;
      x = tokens_[a];
      length_a = lengths_[a];
    } else {
      limit = b + 1;
      b = y.left;
      y = tokens_[b];
      length_b = lengths_[b];
    }
  }
}

}  // namespace bigdna::tokenizer
