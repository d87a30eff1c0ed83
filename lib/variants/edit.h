/// An allele in the sequence that a model reads: the reference's interval, and the same interval with the alternative, of equal
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

/// Which end of the interval an insertion or deletion leaves where it was; the other end is cut, or extended with the genome's
/// own sequence. Scores are the mean over both, since either choice alone shifts one flank against the model's centre
/// (Borzoi's scripts stitch two such readings for the same reason). For alleles of equal length both are the same sequence.
enum class Shared { left, right };

/// Whether the interval holds REF, and neither allele is longer than half of it.
bool fits(const Allele& allele, int64_t start, int64_t end);

/// What of a text is the same as before it was edited is told by `shared`.
struct EditedText {
  std::string bases;
  std::vector<tokenizer::SharedPart> shared;
};

/// The alternative in [start, end) of its contig, on the forward strand; fits() must hold. `fetch(start, end)` gives bases of the
/// contig, N past its ends.
EditedText edited(const Allele& allele, int64_t start, int64_t end, Shared side,
                  const std::function<std::string(int64_t, int64_t)>& fetch);
/// The reverse complement, in the terms of an original that is reversed too; `original` is that one's length.
EditedText reverse_complement(EditedText text, int64_t original);

}  // namespace bigdna::variants
