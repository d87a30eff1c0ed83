/// Sequence motifs as matrices of base probabilities.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "plot/svg.h"

namespace bigdna::motif {

using BaseProbabilities = std::array<double, 4>;      // probabilities of A, C, G and T, which add up to 1
inline constexpr std::string_view kLetters = "ACGT";  // in the order of a column

struct Motif {
  std::string name, other_name = {};  // the second is MEME's and JASPAR's further name; may be empty
  std::vector<BaseProbabilities> columns = {};
  double sites = 0;  // sequences that it was counted from; 0: not known
};

/// The column of these counts (or any weights of 0 and more); all 0.25 if they are all 0.
BaseProbabilities column_of(const BaseProbabilities& counts);
/// Bits: 2 less the entropy. That of a motif is the sum over its columns. No correction for few sites.
double information(const BaseProbabilities& column);
double information(const Motif& motif);
/// The likeliest base of each column; of equally likely ones the first in the alphabet.
std::string consensus(const Motif& motif);
/// One base of each column, drawn by its probabilities.
std::string draw(const Motif& motif, Rng& rng);
Motif reverse_complement(const Motif& motif);
/// The same columns in another order.
Motif shuffled_columns(const Motif& motif, Rng& rng);

/// Its logo: each base's probability times the column's information, in bits.
plot::Logo logo(const Motif& motif);

/// Bases in an order drawn among all that have the same first and last base and the same number of each pair of
/// neighbours (Altschul and Erickson 1985). Letters other than A, C, G and T stay where they are, and each stretch
/// between them is shuffled by itself.
std::string dinucleotide_shuffle(std::string_view bases, Rng& rng);

}  // namespace bigdna::motif
