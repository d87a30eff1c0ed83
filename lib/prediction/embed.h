/// Hidden states of sequences: what most people want a DNA language model for.
#pragma once

#include "prediction/embed_options.h"

namespace bigdna::prediction {

/// One row of `hidden` numbers for each record (cls, mean), token (token) or base (base: its token's), in input
/// order. Records longer than the model reads are cut into consecutive pieces: cls is the mean of the pieces' [CLS],
/// the others run over all pieces. Columns and arrays: docs/commands/embed.md.
void embed(const EmbedOptions& options);

}  // namespace bigdna::prediction
