/// Puts an allele into the sequence that a model reads: the reference's interval with the alternative, of the same
/// length.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "genome/region.h"
#include "tokenizer/edited_text.h"
#include "variants/allele.h"

namespace bigdna::variants {

/// Which end of the interval stays in place with an insertion or deletion; the other end is cut, or extended with the
/// genome's sequence. Scores are means over both, because either choice alone shifts one flank relative to the model's
/// centre (Borzoi's scripts combine two such sequences for the same reason). For alleles of equal length both sequences
/// are the same.
enum class Shared { left, right };

/// Whether the interval contains REF, and neither allele is longer than half of it.
bool fits(const Allele& allele, int64_t start, int64_t end);

/// An edited text; `shared` are the parts that it has in common with the original.
struct EditedText {
  std::string bases;
  std::vector<tokenizer::SharedPart> shared;
};

/// The alternative in [start, end) of its contig, on the forward strand; fits() must hold. `fetch(start, end)` gives
/// bases of the contig, N past its ends.
EditedText edited(const Allele& allele, int64_t start, int64_t end, Shared side,
                  const std::function<std::string(int64_t, int64_t)>& fetch);
/// The reverse complement, with `shared` relative to the reverse complement of the original, whose length is
/// `original`.
EditedText reverse_complement(EditedText text, int64_t original);

}  // namespace bigdna::variants
