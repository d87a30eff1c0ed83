/// bigdna motifs --de-novo: motifs in what bases contribute to a model's outputs, and where they stand.
#pragma once

#include "attribution/motif_options.h"

namespace bigdna::attribution {

/// The command. Every interval is explained twice: as it is, and with its explained bases shuffled, their dinucleotides
/// kept and the bases around them unchanged. The second is the null of seqlets and hits. Errors name model, file and
/// line.
void de_novo_motifs(const MotifOptions& options);

}  // namespace bigdna::attribution
