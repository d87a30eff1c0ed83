/// Embeddings: hidden states of sequences.
#pragma once

#include "prediction/embed_options.h"

namespace bigdna::prediction {

/// Writes one row of `hidden` numbers for each record (cls, mean), token (token) or base (base, that of its token), in
/// the order of the input. Records that are too long for the model are cut into consecutive pieces: cls is the mean of
/// the pieces' [CLS], the others extend over all pieces. Columns and arrays: docs/commands/embed.md.
void embed(const EmbedOptions& options);

}  // namespace bigdna::prediction
