/// Lift-over of BED records with all that their columns say of places: thick parts, blocks, summits.
#pragma once

#include <string>

#include "genome/bed.h"
#include "genome/chain.h"

namespace bigdna::genome {

/// Whether a file's name says that its columns from the seventh on are those of narrowPeak or broadPeak.
bool is_peak_file(const std::string& path);

/// Lifts a record; if the result is not `none` it stays as it was. `least`: as for Chains::lift().
/// Columns 7 and 8 are BED's thick part where they are places within the record, unless these are `peaks`; columns 10
/// to 12 are BED's blocks where they are a count and two lists of as many numbers; column 10 is narrowPeak's summit
/// where nothing follows and columns 7 to 9 are numbers. Whatever else stands there is left as it is. Error "FILE:LINE:
/// ..." for blocks that do not begin and end with the record, and for a summit of `peaks` that lies outside it.
Unlifted lift(const Chains& chains, BedRecord& record, double least, bool peaks, const std::string& file);

}  // namespace bigdna::genome
