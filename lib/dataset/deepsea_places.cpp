#include "dataset/deepsea_places.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "base/threads.h"

namespace bigdna::dataset {

namespace {
constexpr uint64_t kPrime = (uint64_t{1} << 61) - 1;
constexpr std::array<uint64_t, 2> kBase{0x0b7e151628aed2a7, 0x1243f6a8885a308d};  // any two numbers below kPrime
constexpr size_t kLength = kDeepseaLength;

uint64_t add(uint64_t a, uint64_t b) {
  const uint64_t sum = a + b;
  return sum >= kPrime ? sum - kPrime : sum;
}
uint64_t multiply(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return add(static_cast<uint64_t>(product) & kPrime, static_cast<uint64_t>(product >> 61));
}
uint64_t power(uint64_t base, uint64_t exponent) {
  uint64_t result = 1;
  for (; exponent; exponent >>= 1, base = multiply(base, base))
    if (exponent & 1) result = multiply(result, base);
  return result;
}
/// A 1, C 2, G 3, T 4, N 0; the complement of c > 0 is 5 - c.
uint64_t code(char base) { return base == 'A' ? 1 : base == 'C' ? 2 : base == 'G' ? 3 : base == 'T' ? 4 : 0; }
uint64_t complement(uint64_t code) { return code ? 5 - code : 0; }

/// The first fingerprint of a window of kLength that moves base by base.
class Rolling {
 public:
  Rolling() {
    const uint64_t out = power(kBase[0], kLength - 1);
    for (uint64_t c = 0; c < 5; ++c)
      leaving_[c] = (kPrime - multiply(c, out)) % kPrime, entering_[c] = multiply(complement(c), out);
  }
  void push(uint64_t in) {  // while the window fills
    forward_ = add(multiply(forward_, kBase[0]), in);
    reverse_ = add(reverse_, multiply(complement(in), place_));
    place_ = multiply(place_, kBase[0]);
  }
  void roll(uint64_t out, uint64_t in) {
    forward_ = add(multiply(add(forward_, leaving_[out]), kBase[0]), in);
    reverse_ = add(multiply(add(reverse_, (kPrime - complement(out)) % kPrime), inverse_), entering_[in]);
  }
  uint64_t forward() const { return forward_; }
  uint64_t reverse() const { return reverse_; }

 private:
  std::array<uint64_t, 5> leaving_{}, entering_{};
  uint64_t forward_ = 0, reverse_ = 0, place_ = 1, inverse_ = power(kBase[0], kPrime - 2);
};
}  // namespace

FingerprintTable::FingerprintTable() : positions_(kLength) {
  for (size_t k = 0; k < 2; ++k)
    for (size_t i = 0; i < kLength; ++i)
      for (size_t channel = 0; channel < 4; ++channel) {
        const uint64_t c = code("AGCT"[channel]);
        auto& term = positions_[i].terms[channel];
        term.forward[k] = multiply(c, power(kBase[k], kLength - 1 - i));
        term.reverse[k] = multiply(complement(c), power(kBase[k], i));
      }
}

void FingerprintTable::Position::add(size_t channel, Fingerprint& sum) const {
  const auto& term = terms[channel];
  for (size_t k = 0; k < 2; ++k) {
    sum.forward[k] = dataset::add(sum.forward[k], term.forward[k]);
    sum.reverse[k] = dataset::add(sum.reverse[k], term.reverse[k]);
  }
}

Fingerprint FingerprintTable::of(std::string_view bases) const {
  Fingerprint print;
  for (size_t i = 0; i < kLength; ++i) {
    const auto channel = std::string_view("AGCT").find(bases[i]);
    if (channel != std::string_view::npos) positions_[i].add(channel, print);
  }
  return print;
}

namespace {
size_t first_slot(uint64_t first_print) { return first_print ^ first_print >> 29; }
}  // namespace

size_t SequencePlaces::slot_of(const std::array<uint64_t, 2>& print) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = first_slot(print[0]) & mask;
  while (slots_[slot] && sequences_[slots_[slot] - 1].print != print) slot = (slot + 1) & mask;
  return slot;
}

bool SequencePlaces::holds(uint64_t first_print) const {
  const size_t mask = slots_.size() - 1;
  for (size_t slot = first_slot(first_print) & mask; slots_[slot]; slot = (slot + 1) & mask)
    if (sequences_[slots_[slot] - 1].print[0] == first_print) return true;
  return false;
}

void SequencePlaces::grow() {
  slots_.assign(std::max<size_t>(1024, 2 * slots_.size()), 0);
  for (size_t i = 0; i < sequences_.size(); ++i) slots_[slot_of(sequences_[i].print)] = static_cast<uint32_t>(i + 1);
}

SequencePlaces::Row SequencePlaces::add(const Fingerprint& print) {
  if (2 * (sequences_.size() + 1) > slots_.size()) grow();
  const bool flipped = print.reverse[0] < print.forward[0];
  const auto& kept = flipped ? print.reverse : print.forward;
  const size_t slot = slot_of(kept);
  if (!slots_[slot]) {
    sequences_.push_back({kept});
    slots_[slot] = static_cast<uint32_t>(sequences_.size());
  }
  return {slots_[slot] - 1, flipped};
}

void SequencePlaces::find(const genome::Genome& genome, const std::vector<genome::Contig>& contigs, int threads) {
  if (sequences_.empty()) return;
  // a filter that fits a cache rejects most windows by one bit
  size_t bits = 1 << 16;
  while (bits < 16 * sequences_.size()) bits *= 2;
  std::vector<uint64_t> filter(bits / 64);
  const auto place = [&](uint64_t print) { return print & (bits - 1); };
  for (const auto& sequence : sequences_)
    filter[place(sequence.print[0]) / 64] |= uint64_t{1} << place(sequence.print[0]) % 64;

  struct Hit {
    uint32_t sequence;
    int64_t start;
    char strand;
  };
  struct Piece {
    uint32_t contig;
    int64_t start;
    std::string bases;
  };
  constexpr int64_t kPiece = 4 << 20;  // windows
  const FingerprintTable table;
  uint32_t contig = 0;
  int64_t start = 0;
  uint64_t total = 0, done = 0;
  for (const auto& each : contigs) total += static_cast<uint64_t>(each.length);
  log::Progress progress("genome", total, "bp");
  ordered_pipeline(
      threads,
      [&]() -> std::optional<Piece> {
        while (contig < contigs.size() && start + kDeepseaLength > contigs[contig].length) {
          ++contig;
          start = 0;
        }
        if (contig == contigs.size()) return std::nullopt;
        const int64_t end = std::min(contigs[contig].length, start + kPiece + kDeepseaLength - 1);
        Piece piece{contig, start, genome.fetch({contigs[contig].name, start, end, '+'})};
        start += kPiece;
        return piece;
      },
      [&](Piece&& piece) {
        std::vector<Hit> hits;
        const auto& bases = piece.bases;
        Rolling window;
        for (size_t i = 0; i < kLength; ++i) window.push(code(bases[i]));
        for (size_t i = 0;; ++i) {
          const bool flipped = window.reverse() < window.forward();
          const uint64_t print = flipped ? window.reverse() : window.forward();
          if ((filter[place(print) / 64] >> place(print) % 64 & 1) && holds(print)) {
            const auto exact = table.of(std::string_view(bases).substr(i, kLength));
            if (const auto found = slots_[slot_of(flipped ? exact.reverse : exact.forward)])
              hits.push_back({found - 1, piece.start + static_cast<int64_t>(i), flipped ? '-' : '+'});
          }
          if (i + kLength >= bases.size()) break;
          window.roll(code(bases[i]), code(bases[i + kLength]));
        }
        return std::pair{std::move(piece), std::move(hits)};
      },
      [&](std::pair<Piece, std::vector<Hit>>&& found) {
        for (const auto& hit : found.second) {
          auto& sequence = sequences_[hit.sequence];
          if (sequence.count++ == 0) {
            sequence.contig = found.first.contig;
            sequence.start = hit.start;
            sequence.strand = hit.strand;
          }
        }
        progress.update(done += std::min<uint64_t>(kPiece, found.first.bases.size()));
      });
}

SequencePlaces::Place SequencePlaces::at(const Row& row) const {
  const auto& sequence = sequences_[row.sequence];
  const char strand = row.flipped == (sequence.strand == '-') ? '+' : '-';
  return {sequence.count, sequence.contig, sequence.start, strand};
}

}  // namespace bigdna::dataset
