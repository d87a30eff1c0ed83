/// What the tables of `bigdna evaluate` begin with (--header).
#pragma once

#include <string>

#include "io/row_writer.h"

namespace bigdna::evaluation {

/// The text of tables that begin as io::TableHeader::hash says, or of the beginning of one, as it is below `header`.
std::string with_header(std::string text, io::TableHeader header);

}  // namespace bigdna::evaluation
