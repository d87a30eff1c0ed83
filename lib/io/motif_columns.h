/// The part of the dictionary of columns that tables of motifs have.
#pragma once

#include <vector>

#include "io/column_dictionary.h"

namespace bigdna::io {

std::vector<TableEntry> motif_columns();

}  // namespace bigdna::io
