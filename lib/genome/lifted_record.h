/// Lift-over of BED records with all that their columns say of places: thick parts, blocks, summits.
#pragma once

#include <string>

#include "genome/bed.h"
#include "genome/chain.h"

namespace bigdna::genome {

/// Lifts a record; if the result is not `none` it stays as it was. `least`: as for Chains::lift().
/// Columns 7 and 8 are BED's thick part where they are places within the record, unless these are `peaks`; columns 10
/// to 12 are BED's blocks where they are a count and two lists of as many numbers; column 10 is narrowPeak's summit
/// (is_narrow_peak()), and in a file of `peaks` whatever columns 7 to 9 are. Whatever else stands there is left as it
/// is. Error "FILE:LINE: ..." for blocks that do not begin and end with the record, and for a summit of `peaks` that
/// lies outside it.
Unlifted lift(const Chains& chains, BedRecord& record, double least, bool peaks, const std::string& file);

}  // namespace bigdna::genome
