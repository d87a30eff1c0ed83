/// The outputs of a prediction's parts (--shard I/N) as the one output of the whole.
#pragma once

#include <string>
#include <vector>

namespace bigdna::merge {

struct MergeOptions {
  std::vector<std::string> parts;  // in any order
  std::string output;              // a file in their format, a folder for folders of tracks; "-": stdout
  bool write_index = false;        // .vcf.gz and .bcf: also writes an index (.csi)
  int threads = 1;
};

/// Text is the same, byte for byte, as of a job that was not divided; other formats hold the same values. Errors as of
/// in_order() (merge/parts.h); UsageError if the output is of another format than the parts.
void merge_parts(const MergeOptions& options);

}  // namespace bigdna::merge
