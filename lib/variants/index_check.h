/// Tells an index of VCF or BCF that belongs to another file, or to an earlier version of the file.
#pragma once

#include <string>

namespace bigdna::variants {

/// Why `index` (.tbi or .csi) is not one of `file` (BGZF) as it is now; "" if nothing says so. Records must end where
/// the index says. Of files up to 32 MiB all records are read: each must lie where the index looks for it, and each
/// contig must have as many as the index says. An index that cannot be read is left to htslib.
std::string fault_of_index(const std::string& index, const std::string& file);

}  // namespace bigdna::variants
