#include "mlm/passage_cut.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace bigdna::mlm {

namespace {

/// Bases [begin, end) of a stretch.
Passage part(const Passage& stretch, int64_t begin, int64_t end) {
  Passage passage{
      stretch.region, stretch.bases.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin)), {0}};
  const bool minus = stretch.region.strand == '-';
  passage.region.start = minus ? stretch.region.end - end : stretch.region.start + begin;
  passage.region.end = passage.region.start + (end - begin);
  auto sentence = std::upper_bound(stretch.sentences.begin(), stretch.sentences.end(), begin);
  for (; sentence != stretch.sentences.end() && *sentence < end; ++sentence)
    passage.sentences.push_back(*sentence - begin);
  return passage;
}

/// Tokens that `windows` windows of the longest context hold, and as many of the shortest as cover them.
int64_t most_tokens(const PassageReader& reader, int64_t windows) {
  const int64_t shorter = (reader.longest + reader.shortest - 1) / reader.shortest;
  return windows * std::min(room(reader.longest), shorter * room(reader.shortest));
}

int64_t less_a_hundredth(int64_t tokens) { return std::max<int64_t>(1, tokens - std::max<int64_t>(1, tokens / 100)); }

}  // namespace

TokenizedPassage tokenise(const Passage& passage, const tokenizer::Encoder& encoder) {
  TokenizedPassage result;
  for (size_t s = 0; s < passage.sentences.size(); ++s) {
    const int64_t begin = passage.sentences[s];
    const int64_t end =
        s + 1 < passage.sentences.size() ? passage.sentences[s + 1] : static_cast<int64_t>(passage.bases.size());
    const auto encoding = encoder.encode(
        std::string_view(passage.bases).substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
    result.sentence_tokens.push_back(static_cast<int64_t>(result.ids.size()));
    result.ids.insert(result.ids.end(), encoding.ids.begin(), encoding.ids.end());
    for (size_t i = 0; i < encoding.size(); ++i) result.begins.push_back(begin + encoding.begins[i]);
  }
  result.begins.push_back(static_cast<int64_t>(passage.bases.size()));
  return result;
}

PassageCutter::PassageCutter(const std::vector<PassageReader>& readers, const std::vector<Passage>& stretches) {
  std::vector<double> dense, reach;  // tokens of all stretches; the longest context, in proportion to its bases
  for (const auto& reader : readers) {
    readers_.push_back({std::make_shared<tokenizer::Encoder>(*reader.vocabulary), 0, 0});
    int64_t tokens = 0;
    if (readers.size() > 1)
      for (const auto& stretch : stretches) tokens += tokenise(stretch, *readers_.back().encoder).tokens();
    dense.push_back(static_cast<double>(std::max<int64_t>(1, tokens)));
    reach.push_back(static_cast<double>(reader.longest) / dense.back());
  }
  for (size_t i = 0; i < readers.size(); ++i) {
    auto& reader = readers_[i];
    const int64_t windows = std::max<int64_t>(1, std::llround(*std::ranges::max_element(reach) / reach[i]));
    reader.most = most_tokens(readers[i], windows);
    reader.limit = less_a_hundredth(reader.most);
    if (dense[i] == *std::ranges::max_element(dense)) tokens_ = std::max(tokens_, reader.limit);
  }
}

bool PassageCutter::too_long(const Passage& passage, std::vector<int64_t>& limits) const {
  bool any = false;
  for (size_t i = 0; i < readers_.size(); ++i) {
    const int64_t beyond = tokenise(passage, *readers_[i].encoder).tokens() - readers_[i].most;
    if (beyond <= 0 || limits[i] == 1) continue;
    limits[i] = std::max<int64_t>(1, limits[i] - beyond);
    any = true;
  }
  return any;
}

std::vector<Passage> PassageCutter::cut(const Passage& stretch) const {
  std::vector<std::vector<int64_t>> begins;  // of the tokens of each vocabulary
  std::vector<int64_t> wanted;
  for (const auto& reader : readers_) {
    begins.push_back(tokenise(stretch, *reader.encoder).begins);
    wanted.push_back(reader.limit);
  }
  const auto length = static_cast<int64_t>(stretch.bases.size());
  /// The first end that a vocabulary sets to a passage; nullopt if all that is left fits into one.
  const auto end_of = [&](int64_t begin, const std::vector<int64_t>& limits) {
    std::optional<int64_t> end;
    for (size_t i = 0; i < readers_.size(); ++i) {
      const auto first = std::lower_bound(begins[i].begin(), begins[i].end(), begin);
      if (begins[i].end() - first <= limits[i]) continue;
      end = std::min(end.value_or(length), first[limits[i]]);
    }
    return end;
  };
  std::vector<Passage> passages;
  for (int64_t begin = 0; begin < length;) {
    auto limits = wanted;
    auto end = end_of(begin, limits);
    if (!end || *end <= begin) {
      if (begin == 0) passages.push_back(part(stretch, 0, length));
      break;
    }
    auto passage = part(stretch, begin, *end);
    // A place between two tokens of one vocabulary is within a token of another, whose parts are more tokens.
    while (readers_.size() > 1 && too_long(passage, limits)) {
      end = end_of(begin, limits);
      passage = part(stretch, begin, *end);
    }
    passages.push_back(std::move(passage));
    begin = *end;
  }
  return passages;
}

int64_t PassageCutter::tokens_of(const Passage& passage) const {
  int64_t most = 0;
  for (const auto& reader : readers_) most = std::max(most, tokenise(passage, *reader.encoder).tokens());
  return most;
}

bool PassageCutter::fills(const Passage& stretch) const {
  return std::ranges::any_of(
      readers_, [&](const Reader& reader) { return tokenise(stretch, *reader.encoder).tokens() >= reader.limit; });
}

}  // namespace bigdna::mlm
