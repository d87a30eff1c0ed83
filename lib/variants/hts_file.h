/// A file that htslib has open.
#pragma once

#include <htslib/hts.h>

#include <memory>

namespace bigdna::variants {

struct CloseHtsFile {
  void operator()(htsFile* file) const { hts_close(file); }
};
/// Closed at the end; a writer releases it and checks hts_close().
using HtsFile = std::unique_ptr<htsFile, CloseHtsFile>;

}  // namespace bigdna::variants
