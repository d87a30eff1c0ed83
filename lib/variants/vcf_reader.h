/// VCF and BCF through htslib: plain, gzip or BGZF, files or stdin, whole or by regions of an index. Of a record only the first
/// eight columns are read; a VCF line is kept as it is, and a BCF record's genotypes stay packed.
#pragma once

#include <htslib/vcf.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "genome/region.h"

namespace bigdna::variants {

struct VcfHeader {
  std::string meta;     // the lines that begin with ##, each with its line end
  std::string columns;  // the line of column names, without its line end
  std::shared_ptr<bcf_hdr_t> parsed;
  int64_t samples = 0;
  bool bcf = false;  // the input is BCF
};

struct VcfRecord {
  std::string contig;
  int64_t position = 0;  // 0-based; -1 for POS 0 (a telomere)
  std::string id, ref;   // ref as written; id "." where there is none
  std::vector<std::string> alts;  // as written; none where ALT is "."
  std::string where;     // "FILE:LINE", or "FILE: CONTIG:POS" where lines have no numbers
  std::string fault;     // what breaks the specification (fault_of_record); "" for nothing
  std::string line;      // of VCF, without its line end
  std::shared_ptr<bcf1_t> bcf;  // of BCF: unpacked up to INFO, not FORMAT
};

class VcfReader {
 public:
  /// "-" is stdin. `regions`: only the records that overlap one of them, each once, through the file's index (.tbi or .csi); their
  /// contigs may differ from the file's by "chr". Errors name file, line and cause: missing, empty, truncated, neither VCF nor
  /// BCF, a damaged header, no index, a record with too few columns or a position that is no number.
  explicit VcfReader(const std::string& path, std::optional<std::vector<genome::Region>> regions = std::nullopt);
  ~VcfReader();
  VcfReader(VcfReader&&) noexcept;
  const std::string& path() const;  // for messages: "stdin" for "-"
  const VcfHeader& header() const;
  std::optional<VcfRecord> next();
  /// Passes over so many, or up to the end; how many there were.
  int64_t skip(int64_t records);
  /// Of a contig by the header; 0 where it does not say.
  int64_t length(const std::string& contig) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The record's line, as VCF has it.
std::string text_of(const VcfHeader& header, const VcfRecord& record);
/// The record as BCF has it, in the terms of `header`, which may have more than the input's. Error "WHERE: ..." where it names a
/// contig, a key or a filter that the header does not declare.
std::shared_ptr<bcf1_t> bcf_of(const bcf_hdr_t* header, const VcfRecord& record);

}  // namespace bigdna::variants
