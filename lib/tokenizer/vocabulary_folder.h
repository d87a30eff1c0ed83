/// A vocabulary folder (docs/formats.md): what `bigdna vocab` makes, and `bigdna pretrain` in its run.
#pragma once

#include <string>

#include "io/manifest.h"
#include "tokenizer/vocabulary.h"

namespace bigdna::tokenizer {

/// Writes dna.model, dna.vocab, tokenizer.json, tokenizer_config.json and, last, the manifest vocabulary.json, in which
/// the number of pieces, the hash and the mean length of pieces precede the details. The folder must exist
/// (io::prepare_output_folder).
void write_vocabulary_folder(const std::string& folder, const Vocabulary& vocabulary, io::Manifest manifest);

}  // namespace bigdna::tokenizer
