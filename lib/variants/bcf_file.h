/// A BCF file that is written under a temporary name.
#pragma once

#include <htslib/vcf.h>

#include <memory>
#include <string>

#include "io/output.h"
#include "variants/hts_file.h"

namespace bigdna::variants {

class BcfFile {
 public:
  using Header = std::unique_ptr<bcf_hdr_t, decltype(&bcf_hdr_destroy)>;
  /// Writes the header. Errors name `path`.
  BcfFile(const std::string& path, Header header, int threads);
  bcf_hdr_t* header() const { return header_.get(); }
  void write(bcf1_t* record);
  /// Nothing exists under the final name before it.
  void commit();
  /// Error for a negative status of htslib.
  void check(int status) const;

 private:
  io::AtomicFile target_;
  Header header_;
  HtsFile file_;
};

}  // namespace bigdna::variants
