/// The alphabet A C G T N, and what other letters become (docs/semantics.md).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace bigdna::genome {

inline constexpr std::string_view kBases = "ACGT";

inline constexpr auto kBaseCodes = [] {
  std::array<int8_t, 256> codes{};
  codes.fill(-1);
  for (size_t i = 0; i < kBases.size(); ++i) codes[static_cast<uint8_t>(kBases[i])] = static_cast<int8_t>(i);
  return codes;
}();
/// The place of a base in kBases; -1 for N and any other letter.
constexpr int base_code(char base) { return kBaseCodes[static_cast<uint8_t>(base)]; }
/// Whether all letters are of kBases.
constexpr bool is_bases(std::string_view text) {
  return std::ranges::all_of(text, [](char letter) { return base_code(letter) >= 0; });
}

enum class InvalidBases { error, n };  // --invalid-bases

/// Normalises `bases` in place: upper case, U to T, other IUPAC codes and X to N. Anything else becomes N, or is an
/// Error "FILE: sequence NAME, position P: 'x' is not a nucleotide" with a 1-based P. `offset` is the 0-based position
/// of bases[0] in the sequence; `file` and `name` are for the message.
void normalise(std::string& bases, InvalidBases invalid, std::string_view file, std::string_view name,
               int64_t offset = 0);

/// The letters that normalise() changes without being told to, and what they become: lower case, U, IUPAC codes, X.
std::map<char, char> changed_letters();

/// Reverse complement of a normalised sequence (N stays N).
std::string reverse_complement(std::string_view bases);
void reverse_complement_in_place(std::string& bases);

/// The number of N.
int64_t count_n(std::string_view bases);

/// The bases [start, end) of a sequence, N past its ends.
std::string padded(std::string_view bases, int64_t start, int64_t end);

/// The sequence with another base at one of the positions [start, end): position by position, each of kBases that is
/// not there, which for N is all four.
std::vector<std::string> substitutions(std::string_view bases, int64_t start, int64_t end);

}  // namespace bigdna::genome
