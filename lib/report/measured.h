/// What was measured, below what was predicted: peaks and signals become further columns of the tracks of a report.
#pragma once

#include <string>
#include <vector>

#include "report/document.h"

namespace bigdna::report {

/// Adds a column for each file (FILE, or NAME=FILE) to every section of the kind "tracks", and names these columns in
/// its option "measured". Of peaks (BED, narrowPeak; 0-based) a bar has 1 if one overlaps it, else 0. Of a bigWig it
/// has the overlapping value that lies farthest from 0, or nothing. Contigs match with or without "chr". Error naming
/// the file: no bar's contig is in it, it cannot be read, or it is a bedGraph; error if no item has tracks.
void add_measured(std::vector<Item>& items, const std::vector<std::string>& paths);

}  // namespace bigdna::report
