#include "genome/alphabet.h"

#include <algorithm>
#include <array>

#include "base/error.h"

namespace bigdna::genome {

namespace {
/// What a letter becomes; 0 if it is not a nucleotide code (IUPAC-IUB 1984; X is what masking programs write).
constexpr auto kNormal = [] {
  std::array<char, 256> table{};
  auto set = [&](char letter, char becomes) {
    table[static_cast<unsigned char>(letter)] = becomes;
    table[static_cast<unsigned char>(letter - 'A' + 'a')] = becomes;
  };
  for (const char base : {'A', 'C', 'G', 'T', 'N'}) set(base, base);
  set('U', 'T');
  for (const char code : {'R', 'Y', 'S', 'W', 'K', 'M', 'B', 'D', 'H', 'V', 'X'}) set(code, 'N');
  return table;
}();

constexpr auto kComplement = [] {
  std::array<char, 256> table{};
  for (auto& letter : table) letter = 'N';
  table['A'] = 'T', table['C'] = 'G', table['G'] = 'C', table['T'] = 'A';
  return table;
}();

std::string shown(char letter) {
  if (letter > 32 && letter < 127) return {'\'', letter, '\''};
  return concat("byte ", static_cast<int>(static_cast<unsigned char>(letter)));
}
}  // namespace

void normalise(std::string& bases, InvalidBases invalid, std::string_view file, std::string_view name, int64_t offset) {
  constexpr size_t kBlock = 1 << 12;
  constexpr uint8_t kUpper = 0xDF;  // clears the bit that makes a letter lower case
  char* const data = bases.data();
  for (size_t from = 0; from < bases.size(); from += kBlock) {
    const size_t to = std::min(bases.size(), from + kBlock);
    // Nearly all blocks hold A C G T N alone, in either case: two loops that compile to vector code
    uint8_t other = 0;
    for (size_t i = from; i < to; ++i) {
      const uint8_t upper = static_cast<uint8_t>(data[i]) & kUpper;
      uint8_t is_other = upper == 'A' ? 0 : 0xFF;
      is_other = upper == 'C' ? 0 : is_other;
      is_other = upper == 'G' ? 0 : is_other;
      is_other = upper == 'T' ? 0 : is_other;
      is_other = upper == 'N' ? 0 : is_other;
      other |= is_other;
    }
    if (!other) {
      for (size_t i = from; i < to; ++i) data[i] = static_cast<char>(static_cast<uint8_t>(data[i]) & kUpper);
      continue;
    }
    for (size_t i = from; i < to; ++i) {
      const char base = kNormal[static_cast<unsigned char>(data[i])];
      if (!base && invalid == InvalidBases::error)
        fail(file, ": sequence ", name, ", position ", offset + static_cast<int64_t>(i) + 1, ": ", shown(data[i]),
             " is not a nucleotide");
      data[i] = base ? base : 'N';
    }
  }
}

std::map<char, char> changed_letters() {
  std::map<char, char> changed;
  for (size_t letter = 0; letter < kNormal.size(); ++letter)
    if (const char base = kNormal[letter]; base && base != static_cast<char>(letter))
      changed.emplace(static_cast<char>(letter), base);
  return changed;
}

std::string reverse_complement(std::string_view bases) {
  std::string result(bases.rbegin(), bases.rend());
  for (char& base : result) base = kComplement[static_cast<unsigned char>(base)];
  return result;
}

void reverse_complement_in_place(std::string& bases) {
  std::reverse(bases.begin(), bases.end());
  for (char& base : bases) base = kComplement[static_cast<unsigned char>(base)];
}

int64_t count_n(std::string_view bases) { return std::count(bases.begin(), bases.end(), 'N'); }

std::string padded(std::string_view bases, int64_t start, int64_t end) {
  const int64_t length = std::ssize(bases), first = std::clamp<int64_t>(start, 0, length),
                last = std::clamp<int64_t>(end, first, length);
  std::string all(static_cast<size_t>(end - start), 'N');
  if (first < last)
    bases.copy(all.data() + (first - start), static_cast<size_t>(last - first), static_cast<size_t>(first));
  return all;
}

std::vector<std::string> substitutions(std::string_view bases, int64_t start, int64_t end) {
  std::vector<std::string> all;
  for (auto at = static_cast<size_t>(start); at < static_cast<size_t>(end); ++at)
    for (const char base : kBases) {
      if (base == bases[at]) continue;
      all.emplace_back(bases);
      all.back()[at] = base;
    }
  return all;
}

}  // namespace bigdna::genome
