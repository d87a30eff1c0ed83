/// The alphabet A C G T N, and what other letters become (docs/semantics.md).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace bigdna::genome {

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

}  // namespace bigdna::genome
