/// The input of the commands that read sequences: those that look into networks on bases, and those of encoders.
#pragma once

#include "apps/options/option.h"
#include "prediction/sequence_input.h"

namespace bigdna::apps {

/// FASTA, or -R BED or -r REGION with -g GENOME. `verb`: what is done with them, as the help's first word.
void visit_sites(OptionList& visit, prediction::SequenceInput& input, const std::string& verb);
/// FASTA, or -R BED along its strand with -g GENOME: of models of tokens, which read whole sequences.
void visit_sequences(OptionList& visit, prediction::SequenceInput& input);
/// UsageError if neither is given.
void require_sequences(const OptionList& list);
/// --invalid-bases and --strict.
void visit_site_checks(OptionList& visit, prediction::SequenceInput& input);
/// UsageError if none of them is given.
void require_sites(const OptionList& list);

}  // namespace bigdna::apps
