#include "mlm/copies.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <set>
#include <string_view>
#include <tuple>

#include "base/threads.h"
#include "genome/alphabet.h"

namespace bigdna::mlm {
namespace {

constexpr size_t kAnchor = 12;  // equal bases on one side by which places are looked up
constexpr size_t kFlank = 8;    // on the other side
constexpr size_t kLeast = 16;   // on both
constexpr size_t kReach = 32;   // counted at most on each
constexpr size_t kTries = 16;   // places that are looked at for each side of a token, the nearest first

/// What can be read of an input, on both strands: a hidden token and each special one is an N.
struct Text {
  std::array<std::string, 2> strands;  // the second is the reverse complement
  std::vector<int64_t> starts;         // of each letter of the first, in bases from the input's start
  std::vector<size_t> hidden;          // the masked tokens, in the first

  Text(const corpus::Example& input, const tokenizer::Vocabulary& vocabulary) {
    int64_t start = 0;
    size_t masked = 0;
    for (size_t i = 0; i < input.ids.size(); ++i) {
      if (masked < input.masked.size() && input.masked[masked] == static_cast<int32_t>(i)) {
        hidden.push_back(strands[0].size());
        append("N", start);
        start += vocabulary.bases(input.masked_labels[masked++]);
      } else if (vocabulary.is_special(input.ids[i])) {
        append("N", start);
      } else {
        append(vocabulary.piece(input.ids[i]).text, start);
        start += vocabulary.bases(input.ids[i]);
      }
    }
    strands[1] = genome::reverse_complement(strands[0]);
  }
  size_t size() const { return starts.size(); }
  /// Where the letters [at, at + length) of a strand begin in the input.
  int64_t start_of(size_t strand, size_t at, size_t length) const {
    return starts[strand == 0 ? at : size() - at - length];
  }

 private:
  void append(std::string_view text, int64_t start) {
    for (size_t i = 0; i < text.size(); ++i) starts.push_back(start + static_cast<int64_t>(i));
    strands[0] += text;
  }
};

/// What follows kAnchor bases.
struct Place {
  uint32_t anchor, strand, at;
  auto operator<=>(const Place&) const = default;
};

/// The code of the last kAnchor of `bases`, or -1 if one of them is an N.
int64_t anchor_before(std::string_view bases) {
  if (bases.size() < kAnchor) return -1;
  int64_t code = 0;
  for (const char base : bases.substr(bases.size() - kAnchor)) {
    if (genome::base_code(base) < 0) return -1;
    code = code << 2 | genome::base_code(base);
  }
  return code;
}

std::vector<Place> places_of(const Text& text) {
  std::vector<Place> places;
  for (uint32_t strand = 0; strand < 2; ++strand) {
    const std::string_view bases = text.strands[strand];
    for (size_t at = kAnchor; at < bases.size(); ++at)
      if (const int64_t anchor = anchor_before(bases.substr(0, at)); anchor >= 0 && bases[at] != 'N')
        places.push_back({static_cast<uint32_t>(anchor), strand, static_cast<uint32_t>(at)});
  }
  std::sort(places.begin(), places.end());
  return places;
}

/// The number of equal bases from the start of both, at most kReach.
size_t equal_bases(std::string_view a, std::string_view b) {
  const size_t most = std::min({a.size(), b.size(), kReach});
  size_t n = 0;
  while (n < most && a[n] == b[n] && a[n] != 'N') ++n;
  return n;
}

size_t equal_bases_before(std::string_view a, std::string_view b) {
  const size_t most = std::min({a.size(), b.size(), kReach});
  size_t n = 0;
  while (n < most && a[a.size() - 1 - n] == b[b.size() - 1 - n] && a[a.size() - 1 - n] != 'N') ++n;
  return n;
}

class Search {
 public:
  Search(const Text& where, const tokenizer::Vocabulary& vocabulary)
      : where_(where), vocabulary_(vocabulary), places_(places_of(where)) {
    for (const auto& piece : vocabulary.pieces())
      if (!piece.special) lengths_.insert(piece.text.size());
  }

  /// The nearest copy of what is hidden in `text` at `hidden`.
  Copy nearest(const Text& text, size_t hidden) const {
    const Copy before = after_anchor(text, 0, hidden, hidden),
               after = after_anchor(text, 1, text.size() - 1 - hidden, hidden);
    if (!before.found() || !after.found()) return before.found() ? before : after;
    return std::pair(after.distance, before.matched) < std::pair(before.distance, after.matched) ? after : before;
  }

 private:
  /// By the bases before the gap at `at` of a strand.
  Copy after_anchor(const Text& text, uint32_t strand, size_t at, size_t hidden) const {
    const std::string_view bases = text.strands[strand];
    const int64_t anchor = anchor_before(bases.substr(0, at));
    if (anchor < 0) return {};
    const auto code = static_cast<uint32_t>(anchor);
    std::vector<std::tuple<int64_t, uint32_t, uint32_t>> nearest;
    for (auto place = std::lower_bound(places_.begin(), places_.end(), Place{code, 0, 0});
         place != places_.end() && place->anchor == code; ++place)
      nearest.emplace_back(std::abs(where_.start_of(place->strand, place->at, 1) - text.starts[hidden]), place->strand,
                           place->at);
    const size_t tried = std::min(nearest.size(), kTries);
    std::partial_sort(nearest.begin(), nearest.begin() + static_cast<int64_t>(tried), nearest.end());
    for (size_t i = 0; i < tried; ++i) {
      const auto [about, other_strand, other] = nearest[i];
      Copy copy = between(bases.substr(0, at), bases.substr(at + 1), strand != 0,
                          std::string_view(where_.strands[other_strand]), other);
      if (!copy.found()) continue;
      copy.inverted = other_strand != strand;
      copy.distance =
          std::abs(where_.start_of(other_strand, other, static_cast<size_t>(vocabulary_.bases(copy.token))) -
                   text.starts[hidden]);
      return copy;
    }
    return {};
  }

  /// The piece of `other` from `at` on after which `after` follows best, the longest of several; `reversed`: it is a
  /// reverse complement.
  Copy between(std::string_view before, std::string_view after, bool reversed, std::string_view other,
               size_t at) const {
    Copy copy;
    size_t followed = 0;
    const size_t preceded = equal_bases_before(before, other.substr(0, at)),
                 readable = std::min(after.find('N'), after.size()), gap = std::min(other.find('N', at), other.size());
    for (auto length = lengths_.rbegin(); length != lengths_.rend(); ++length) {
      if (at + *length > gap) continue;
      const size_t follows = equal_bases(after, other.substr(at + *length));
      const bool differs = follows < std::min(kFlank, readable) && at + *length + follows < gap;
      if (differs || preceded + follows < kLeast || (copy.found() && follows <= followed)) continue;
      std::string text(other.substr(at, *length));
      if (reversed) genome::reverse_complement_in_place(text);
      const int32_t token = vocabulary_.find(text);
      if (token < 0 || vocabulary_.is_special(token)) continue;
      copy.token = token;
      copy.matched = preceded + follows;
      followed = follows;
    }
    return copy;
  }

  const Text& where_;
  const tokenizer::Vocabulary& vocabulary_;
  std::vector<Place> places_;
  std::set<size_t> lengths_;  // of pieces
};

constexpr std::array kDistances{std::pair{int64_t{1000}, "0-1kb"}, std::pair{int64_t{4000}, "1-4kb"},
                                std::pair{int64_t{20'000}, "4-20kb"}, std::pair{INT64_MAX, "20kb-"}};

}  // namespace

std::vector<Copy> find_copies(const std::vector<corpus::Example>& inputs, size_t shift,
                              const tokenizer::Vocabulary& vocabulary, int threads) {
  std::vector<std::vector<Copy>> found(inputs.size());
  parallel_for(static_cast<int64_t>(inputs.size()), threads, [&](int64_t index) {
    const auto i = static_cast<size_t>(index);
    const Text text(inputs[i], vocabulary), where(inputs[(i + shift) % inputs.size()], vocabulary);
    const Search search(where, vocabulary);
    for (const size_t hidden : text.hidden) found[i].push_back(search.nearest(text, hidden));
  });
  std::vector<Copy> all;
  for (const auto& copies : found) all.insert(all.end(), copies.begin(), copies.end());
  return all;
}

bool CopyConfidence::tandem(const Copy& copy) { return !copy.inverted && copy.distance < kDistances[0].first; }

size_t CopyConfidence::class_of(const Copy& copy) {
  return static_cast<size_t>(std::upper_bound(kFewest.begin() + 1, kFewest.end(), copy.matched) - kFewest.begin()) - 1;
}

void CopyConfidence::count(const Copy& copy, int32_t label) {
  if (!copy.found()) return;
  auto& count = counts_[tandem(copy)][class_of(copy)];
  ++count.seen;
  count.right += copy.token == label;
}

double CopyConfidence::share(const Counts& counts, size_t of_class) {
  // Classes with few copies lean on all of them, and all of them, if they are few, on 1 in 20.
  const auto leaning = [](const Count& count, double otherwise) {
    constexpr double kPseudo = 20;
    return (static_cast<double>(count.right) + kPseudo * otherwise) / (static_cast<double>(count.seen) + kPseudo);
  };
  Count all;
  for (const auto& count : counts) all.seen += count.seen, all.right += count.right;
  return leaning(counts[of_class], leaning(all, 0.05));
}

double CopyConfidence::operator()(const Copy& copy) const {
  return copy.found() ? share(counts_[tandem(copy)], class_of(copy)) : 0;
}

nlohmann::ordered_json CopyConfidence::json() const {
  auto classes = nlohmann::ordered_json::array();
  for (const bool tandem : {false, true})
    for (size_t i = 0; i < kFewest.size(); ++i)
      if (const Count& count = counts_[tandem][i]; count.seen > 0)
        classes.push_back({{"tandem", tandem},
                           {"matched", kFewest[i]},
                           {"seen", count.seen},
                           {"right", count.right},
                           {"share", share(counts_[tandem], i)}});
  return classes;
}

const std::vector<CopyClass>& copy_classes() {
  static const std::vector<CopyClass> classes = [] {
    std::vector<CopyClass> all;
    for (const char* copy : {"direct", "inverted"})
      for (const auto& [below, name] : kDistances) all.push_back({copy, name});
    all.push_back({"none", "NA"});
    return all;
  }();
  return classes;
}

size_t copy_class(const Copy& copy) {
  if (!copy.found()) return copy_classes().size() - 1;
  size_t distance = 0;
  while (copy.distance >= kDistances[distance].first) ++distance;
  return (copy.inverted ? kDistances.size() : 0) + distance;
}

}  // namespace bigdna::mlm
