/// Writing records of FASTA.
#pragma once

#include <string_view>

#include "io/output.h"

namespace bigdna::genome {

/// `header`: name and description, without ">". Lines have 60 bases.
void write_fasta_record(io::Output& output, std::string_view header, std::string_view bases);

}  // namespace bigdna::genome
