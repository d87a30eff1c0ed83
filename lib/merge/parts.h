/// The parts of a prediction that was divided (--shard I/N), told apart by their records (io/output_record.h).
#pragma once

#include <string>
#include <vector>

namespace bigdna::merge {

/// The paths in the order of the parts: files, or folders of tracks (without a slash at the end). Error naming the path
/// if a part has no record or is not as its record says, if it is of another job, of another division or another output
/// of it, or if it is given twice; Error naming the numbers of the parts that are missing.
std::vector<std::string> in_order(const std::vector<std::string>& paths);

/// The tracks in a folder: the paths of its bigWig files, sorted.
std::vector<std::string> tracks_in(const std::string& folder);

}  // namespace bigdna::merge
