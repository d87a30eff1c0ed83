/// Reads the text forms of an interval.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "genome/region.h"

namespace bigdna::genome {

/// The length of a contig by its name; nullopt where there is none.
using LengthOf = std::function<std::optional<int64_t>(const std::string& contig)>;
/// Reads a region in samtools' notation, 1-based and closed: CONTIG, CONTIG:START, CONTIG:START-END, CONTIG:-END;
/// numbers may have commas. A contig whose name holds a colon may be written in braces: {CONTIG}:START-END. An end past
/// the contig's is cut off, as samtools does. Error naming the string if contig, numbers or order are wrong, a position
/// is 0, or both the whole string and what is before its last colon are contigs. The region has the contig's name as it
/// is written, and no strand. `genome`: its name, for errors.
Region parse_region(const std::string& text, const LengthOf& length_of, const std::string& genome);
/// The interval in a name that `samtools faidx` gives a record, CONTIG:FIRST-LAST, 1-based and closed; nullopt for any
/// other name, and if the interval does not have `length` bases.
std::optional<Region> region_of_name(const std::string& name, int64_t length);

}  // namespace bigdna::genome
