#include "tokenizer/statistics.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>

#include "base/error.h"

namespace bigdna::tokenizer {

std::string fixed(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

void Statistics::add(const Encoding& encoding, std::string_view text, const Vocabulary& vocabulary) {
  ++sequences;
  bases += static_cast<int64_t>(text.size());
  tokens += static_cast<int64_t>(encoding.size());
  n += std::count(text.begin(), text.end(), 'N');
  for (size_t i = 0; i < encoding.size(); ++i) {
    ++counts_[static_cast<size_t>(encoding.ids[i])];
    if (encoding.ids[i] != vocabulary.special().unk) continue;
    ++unknown;
    unknown_bases += encoding.begins[i + 1] - encoding.begins[i];
  }
}

double Statistics::bases_per_token() const {
  return tokens ? static_cast<double>(bases) / static_cast<double>(tokens) : 0;
}

std::string Statistics::to_tsv(const Vocabulary& vocabulary, int64_t top) const {
  std::string tsv = "#statistic\tkey\tvalue\n";
  const auto row = [&](const auto& statistic, const auto& key, const auto& value) {
    tsv += concat(statistic, '\t', key, '\t', value, '\n');
  };
  const auto share = [](int64_t part, int64_t whole) {
    return fixed(whole ? static_cast<double>(part) / static_cast<double>(whole) : 0, 6);
  };
  row("sequences", ".", sequences);
  row("bases", ".", bases);
  row("tokens", ".", tokens);
  row("bp_per_token", ".", fixed(bases_per_token(), 4));
  row("mean_piece_length", ".", fixed(vocabulary.mean_piece_length(), 4));
  row("n_fraction", ".", share(n, bases));
  row("unk_fraction", ".", share(unknown, tokens));
  row("unk_base_fraction", ".", share(unknown_bases, bases));
  std::map<int, int64_t> lengths;
  std::vector<TokenId> order(counts_.size());
  std::iota(order.begin(), order.end(), 0);
  int64_t used = 0;
  for (const TokenId id : order) {
    const int64_t count = counts_[static_cast<size_t>(id)];
    used += count > 0 && !vocabulary.is_special(id);
    if (count > 0 && !vocabulary.is_special(id)) lengths[vocabulary.bases(id)] += count;
  }
  row("pieces_used", ".", used);
  for (const auto& [length, count] : lengths) row("length", length, count);
  std::stable_sort(order.begin(), order.end(), [&](TokenId a, TokenId b) {
    return counts_[static_cast<size_t>(a)] > counts_[static_cast<size_t>(b)];
  });
  for (const TokenId id : order) {
    if (top-- <= 0 || counts_[static_cast<size_t>(id)] == 0) break;
    row("piece", vocabulary.piece(id).text, counts_[static_cast<size_t>(id)]);
  }
  return tsv;
}

std::string length_histogram(const Vocabulary& vocabulary) {
  std::map<size_t, int64_t> lengths;
  for (const Piece& piece : vocabulary.pieces())
    if (!piece.special) ++lengths[piece.text.size()];
  std::string text = "pieces by length:";
  for (const auto& [length, count] : lengths)
    text += concat(text.back() == ':' ? " " : ", ", length, " bp ", count);
  return text;
}

}  // namespace bigdna::tokenizer
