#include "tokenizer/statistics.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "base/error.h"

namespace bigdna::tokenizer {

std::string fixed(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

Statistics::Statistics(const Vocabulary& vocabulary)
    : vocabulary_(vocabulary), counts_(static_cast<size_t>(vocabulary.size())) {
  for (const Piece& piece : vocabulary.pieces())
    n_of_.push_back(piece.special ? -1 : std::count(piece.text.begin(), piece.text.end(), 'N'));
}

void Statistics::add(const Encoding& encoding, std::string_view text) {
  ++sequences;
  bases += static_cast<int64_t>(text.size());
  tokens += static_cast<int64_t>(encoding.size());
  n += std::count(text.begin(), text.end(), 'N');
  for (size_t i = 0; i < encoding.size(); ++i) {
    const auto id = static_cast<size_t>(encoding.ids[i]);
    ++counts_[id];
    if (n_of_[id] == 0) continue;
    const int64_t span = encoding.begins[i + 1] - encoding.begins[i];
    ++n_tokens;
    n_token_bases += span;
    if (encoding.ids[i] != vocabulary_.special().unk) continue;
    ++unknown;
    unknown_bases += span;
  }
}

void Statistics::add(const std::vector<int64_t>& counts) {
  for (size_t id = 0; id < counts.size(); ++id) {
    const int64_t count = counts[id], span = count * vocabulary_.bases(static_cast<TokenId>(id));
    counts_[id] += count;
    tokens += count;
    bases += span;
    if (n_of_[id] <= 0) continue;
    n += count * n_of_[id];
    n_tokens += count;
    n_token_bases += span;
  }
}

namespace {
double ratio(int64_t part, int64_t whole) { return whole ? static_cast<double>(part) / static_cast<double>(whole) : 0; }
}  // namespace

double Statistics::bases_per_token() const { return ratio(bases - n_token_bases, tokens - n_tokens); }
double Statistics::n_fraction() const { return ratio(n, bases); }
double Statistics::unknown_fraction() const { return ratio(unknown, tokens); }

/// Ids of those that occur, the most frequent first, equal counts by id.
std::vector<TokenId> Statistics::by_count(int64_t top) const {
  std::vector<TokenId> order;
  for (size_t id = 0; id < counts_.size(); ++id)
    if (counts_[id] > 0) order.push_back(static_cast<TokenId>(id));
  std::stable_sort(order.begin(), order.end(), [&](TokenId a, TokenId b) {
    return counts_[static_cast<size_t>(a)] > counts_[static_cast<size_t>(b)];
  });
  order.resize(std::min(order.size(), static_cast<size_t>(top)));
  return order;
}

std::string Statistics::most_frequent(int64_t top) const {
  std::string text;
  for (const TokenId id : by_count(top))
    text += concat(text.empty() ? "" : ", ", vocabulary_.piece(id).text, ' ', counts_[static_cast<size_t>(id)]);
  return text;
}

std::string Statistics::to_tsv(int64_t top) const {
  std::string tsv = "#statistic\tkey\tvalue\n";
  const auto row = [&](const auto& statistic, const auto& key, const auto& value) {
    tsv += concat(statistic, '\t', key, '\t', value, '\n');
  };
  row("sequences", ".", sequences);
  row("bases", ".", bases);
  row("tokens", ".", tokens);
  row("bp_per_token", ".", tokens > n_tokens ? fixed(bases_per_token(), 4) : "NA");
  row("mean_piece_length", ".", fixed(vocabulary_.mean_piece_length(), 4));
  row("n_tokens", ".", n_tokens);
  row("n_token_bases", ".", n_token_bases);
  row("n_fraction", ".", fixed(n_fraction(), 6));
  row("unk_fraction", ".", fixed(unknown_fraction(), 6));
  row("unk_base_fraction", ".", fixed(ratio(unknown_bases, bases), 6));
  std::map<int, int64_t> lengths;
  int64_t used = 0;
  for (TokenId id = 0; id < vocabulary_.size(); ++id) {
    const int64_t count = counts_[static_cast<size_t>(id)];
    if (count == 0 || vocabulary_.is_special(id)) continue;
    ++used;
    lengths[vocabulary_.bases(id)] += count;
  }
  row("pieces_used", ".", used);
  for (const auto& [length, count] : lengths) row("length", length, count);
  for (const TokenId id : by_count(top)) row("piece", vocabulary_.piece(id).text, counts_[static_cast<size_t>(id)]);
  return tsv;
}

std::string length_histogram(const Vocabulary& vocabulary) {
  std::map<size_t, int64_t> lengths;
  for (const Piece& piece : vocabulary.pieces())
    if (!piece.special) ++lengths[piece.text.size()];
  std::string text = "pieces by length:";
  for (const auto& [length, count] : lengths) text += concat(text.back() == ':' ? " " : ", ", length, " bp ", count);
  return text;
}

}  // namespace bigdna::tokenizer
