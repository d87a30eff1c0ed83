/// How the parts of each format are joined. `parts` are in order; each function writes `output` under a temporary name
/// until it is complete.
#pragma once

#include <string>
#include <vector>

namespace bigdna::merge {

using Paths = std::vector<std::string>;

/// TSV, BED and VCF, each plain or compressed: one behind the other.
void join_text(const Paths& parts, const std::string& output, int threads);
/// BCF: the records, behind the first part's header. Error if another part's differs in more than bigdna's own lines.
void join_bcf(const Paths& parts, const std::string& output, int threads);
/// HDF5: rows of all parts; what describes columns (feature_*) is the first part's. The contigs' numbers are those of
/// the merged list of contigs.
void join_hdf5(const Paths& parts, const std::string& output, int threads);
/// bigWig. Where an interval of a part begins before the last one of the part before it ends, the latter keeps its
/// bases, as in a job that is not divided.
void join_bigwig(const Paths& parts, const std::string& output, int threads);
/// JSON of --counts: numbers are added, all else is the first part's.
void join_counts(const Paths& parts, const std::string& output, int threads);

}  // namespace bigdna::merge
