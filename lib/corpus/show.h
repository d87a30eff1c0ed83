/// A corpus as text, for people and for checks against other software.
#pragma once

#include "corpus/corpus.h"
#include "io/output.h"
#include "tokenizer/vocabulary.h"

namespace bigdna::corpus {

/// Writes the first `count` documents (or all, if there are fewer) as FASTA, one sentence per line:
///   >chr20:1001-43210(-) document=7 pass=0 sentences=57 tokens=6521
/// The name is a samtools faidx region (1-based, both ends included) and the strand; on '-' the sequence is
/// the reverse complement. [UNK] is written as '?'.
void write_documents(const Corpus& corpus, const tokenizer::Vocabulary& vocabulary, int64_t count, io::Output& output);

}  // namespace bigdna::corpus
