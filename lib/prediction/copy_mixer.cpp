#include "prediction/copy_mixer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.h"
#include "genome/alphabet.h"

namespace bigdna::prediction {
namespace {

constexpr char kUnknown = 4;
constexpr size_t kFewestSlots = size_t{1} << 12, kMostSlots = size_t{1} << 25;
constexpr int kLeastRun = 12, kLeastEqual = 24;      // a copy that has fewer of both is given up
constexpr std::array kRuns{12, 14, 16, 20, 24, 32};  // the fewest of each kind of match
constexpr std::array kEquals{32, 44, 54, 62};
constexpr double kStep = 0.02, kFirstSteps = 20;  // of learning: larger for as many matches of a kind

}  // namespace

// Invariant: the tables hold a place `end` for each end <= inserted_ whose last bases are known, the latest of those
// with one slot. Codes are not kept: match() says how many bases are really the same.

int64_t CopyIndex::code(int64_t end, int length, bool complement) const {
  if (end < length) return -1;
  int64_t code = 0;
  for (int64_t i = 0; i < length; ++i) {
    const char base = bases_[static_cast<size_t>(complement ? end - 1 - i : end - length + i)];
    if (base == kUnknown) return -1;
    code = code << 2 | (complement ? 3 - base : base);
  }
  return code;
}

size_t CopyIndex::slot(size_t which, uint64_t code) const {
  return (code * 0x9e3779b97f4a7c15 + which) >> 20 & (slots_ - 1);
}

void CopyIndex::insert(size_t which, int64_t end) {
  if (const int64_t at = code(end, kLengths[which], false); at >= 0)
    latest_[which][slot(which, static_cast<uint64_t>(at))] = static_cast<uint32_t>(end);
}

void CopyIndex::insert_all() {
  const auto size = std::ssize(bases_);
  const size_t wanted = std::bit_ceil(std::clamp(bases_.size() + 1, kFewestSlots, kMostSlots));
  if (wanted > slots_) {
    slots_ = wanted;
    for (auto& table : latest_) table.assign(slots_, 0);
    inserted_ = 0;
  }
  for (int64_t end = inserted_; end < size; ++end)
    for (size_t which = 0; which < kLengths.size(); ++which) insert(which, end);
  inserted_ = size;
}

void CopyIndex::append(std::string_view bases) {
  for (const char base : bases) {
    const int code = genome::base_code(base);
    bases_.push_back(code < 0 ? kUnknown : static_cast<char>(code));
  }
  if (bases_.size() > std::numeric_limits<uint32_t>::max()) fail("copies: more than 4294967295 bases to be kept");
  insert_all();  // all places but the last one: the last bases find no copy in themselves
}

std::string CopyIndex::following(const Place& place, size_t most) const {
  std::string text;
  for (int64_t i = 0; text.size() < most; ++i) {
    const int64_t at = place.inverted ? place.at - 1 - i : place.at + i;
    if (at < 0 || at >= std::ssize(bases_)) break;
    const char base = bases_[static_cast<size_t>(at)];
    if (base == kUnknown) break;
    text += genome::kBases[static_cast<size_t>(place.inverted ? 3 - base : base)];
  }
  return text;
}

CopyIndex::Match CopyIndex::match(const Place& place) const {
  Match match;
  bool running = true;
  const auto size = std::ssize(bases_);
  for (int64_t i = 0; i < kAligned && i < size; ++i) {
    const int64_t at = place.inverted ? place.at + i : place.at - 1 - i;
    if (at < 0 || at >= size) break;
    const char here = bases_[static_cast<size_t>(size - 1 - i)], there = bases_[static_cast<size_t>(at)];
    const bool same = here != kUnknown && there != kUnknown && here == (place.inverted ? 3 - there : there);
    running = running && same && i < kRun;
    match.run += running;
    match.equal += same;
  }
  return match;
}

std::vector<CopyIndex::Copy> CopyIndex::latest() const {
  std::vector<Copy> found;
  if (slots_ == 0) return found;
  const auto size = std::ssize(bases_);
  for (const bool inverted : {false, true})
    for (size_t which = 0; which < kLengths.size(); ++which) {
      const int64_t last = code(size, kLengths[which], inverted);
      if (last < 0) continue;
      const int64_t end = latest_[which][slot(which, static_cast<uint64_t>(last))];
      if (end == 0) continue;
      const Place place{inverted ? end - kLengths[which] : end, inverted};
      if (const Match of = match(place); of.run >= kLengths[which]) found.push_back({place, of});
    }
  return found;
}

CopyMixer::CopyMixer(const tokenizer::Encoder& encoder)
    : encoder_(encoder), kinds_(2 * kRuns.size() * (kEquals.size() + 1)) {
  for (const auto& piece : encoder.vocabulary().pieces())
    if (!piece.special) longest_ = std::max(longest_, piece.text.size());
  for (size_t i = 0; i < kinds_.size(); ++i)  // longer runs are trusted more at first
    kinds_[i].log_odds = -4 + static_cast<double>(i % kRuns.size());
}

void CopyMixer::read(std::string_view bases) {
  index_.append(bases);
  copies_.clear();
}

void CopyMixer::find_copies() {
  for (auto& copy : copies_) copy.match = index_.match(copy.place);
  std::erase_if(copies_, [](const Copy& copy) { return copy.match.run < kLeastRun && copy.match.equal < kLeastEqual; });
  for (const auto& copy : index_.latest())
    if (std::ranges::find(copies_, copy.place, &Copy::place) == copies_.end()) copies_.push_back(copy);
  std::ranges::stable_sort(copies_, [](const Copy& a, const Copy& b) {
    return std::pair(a.match.equal, a.match.run) > std::pair(b.match.equal, b.match.run);
  });
  if (copies_.size() > kPlaces) copies_.resize(kPlaces);
}

CopyMixer::Kind& CopyMixer::kind_of(const Copy& copy) {
  const auto class_of = [](const auto& fewest, int n) {
    return static_cast<size_t>(std::ranges::upper_bound(fewest, n) - fewest.begin());
  };
  const size_t run = std::max<size_t>(class_of(kRuns, copy.match.run), 1) - 1;
  return kinds_[(2 * class_of(kEquals, copy.match.equal) + copy.place.inverted) * kRuns.size() + run];
}

float CopyMixer::mix(tokenizer::TokenId token, int64_t bases, float bits) {
  const auto& vocabulary = encoder_.vocabulary();
  if (!std::isnan(bits)) {
    find_copies();
    struct Voice {
      Kind* kind;
      double weight, of_token;  // of_token: what this copy gives the token
      bool first, beginning;
    };
    std::vector<Voice> voices;
    double weights = 1, sum = std::exp2(-static_cast<double>(bits));
    bool right = false;
    for (const auto& copy : copies_) {
      const std::string follows = index_.following(copy.place, 2 * longest_);
      if (follows.empty()) continue;
      // A copy gives its share to the first token of what follows there, and to the other pieces with which that
      // begins.
      const auto told = encoder_.encode(follows).ids.front();
      int64_t beginnings = 0;
      bool begins = false;
      for (size_t length = 1; length <= std::min(longest_, follows.size()); ++length)
        if (const auto piece = vocabulary.find(std::string_view(follows).substr(0, length));
            piece >= 0 && piece != told && !vocabulary.is_special(piece))
          ++beginnings, begins = begins || piece == token;
      Kind& kind = kind_of(copy);
      const double first = beginnings ? kind.first / (kind.first + kind.beginning) : 1;
      const double of_token = told == token ? first : begins ? (1 - first) / static_cast<double>(beginnings) : 0;
      const double weight = std::exp(kind.log_odds);
      voices.push_back({&kind, weight, of_token, told == token, begins});
      weights += weight, sum += weight * of_token;
      right = right || told == token;
    }
    for (const auto& voice : voices) {  // a step along the gradient of log p
      Kind& kind = *voice.kind;
      const double gradient = voice.weight * (voice.of_token / sum - 1 / weights);
      kind.log_odds += (kStep + 1 / (1 + kind.seen / kFirstSteps)) * gradient;
      kind.seen += 1, kind.first += voice.first, kind.beginning += voice.beginning;
    }
    if (!voices.empty()) {
      ++told_, right_ += right;
      bits = static_cast<float>(std::log2(weights) - std::log2(sum));
    }
  }
  index_.append(vocabulary.is_special(token) ? std::string(static_cast<size_t>(bases), 'N')
                                             : vocabulary.piece(token).text);
  for (auto& copy : copies_) copy.place.at += copy.place.inverted ? -bases : bases;
  return bits;
}

}  // namespace bigdna::prediction
