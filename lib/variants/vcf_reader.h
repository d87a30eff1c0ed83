/// Reads VCF (plain, gzip, BGZF or xz) and BCF, files or stdin, completely or by regions of an index. Only the first
/// eight columns of a record are interpreted; a VCF line is kept as it is, and a BCF record's genotypes stay packed.
#pragma once

#include <htslib/vcf.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "genome/fasta.h"
#include "genome/region.h"
#include "variants/vcf_text.h"

namespace bigdna::variants {

struct VcfHeader {
  std::string meta;     // the lines that begin with ##, each with its line end
  std::string columns;  // the line of column names, without its line end
  std::shared_ptr<bcf_hdr_t> parsed;
  int64_t samples = 0;
  bool bcf = false;  // the input is BCF
  /// "FILE:LINE: cause", the first line that begins with ## and breaks the specification, and how many more do. They
  /// are kept: nothing depends on them.
  std::string fault;
};

struct VcfRecord {
  std::string contig;
  int64_t position = 0;           // 0-based; -1 for POS 0 (a telomere)
  std::string id, ref;            // ref as written; id "." if there is none
  std::vector<std::string> alts;  // as written; none if ALT is "."
  std::string where;              // "FILE:LINE", or "FILE: CONTIG:POS" if line numbers are unknown
  Faults faults;                  // what breaks the specification
  std::string line;               // of VCF, without its line end
  std::shared_ptr<bcf1_t> bcf;    // of BCF: unpacked up to INFO, not FORMAT
};

class VcfReader {
 public:
  /// "-" is stdin. With `regions`, reads only records that overlap one of them, each once, through the file's index
  /// (.tbi or .csi, not older than it, nor that of another file: fault_of_index()); their contig names may differ from
  /// the file's by "chr". Errors name file, line and cause: missing, empty, truncated, not VCF or BCF, a damaged
  /// header, no index, a record with too few columns or a position that is not a number from 0 to
  /// genome::kMostPosition.
  explicit VcfReader(const std::string& path, std::optional<std::vector<genome::Region>> regions = std::nullopt);
  ~VcfReader();
  VcfReader(VcfReader&&) noexcept;
  const std::string& path() const;  // for messages: "stdin" for "-"
  const VcfHeader& header() const;
  std::optional<VcfRecord> next();
  /// Skips this many records, or up to the end; returns how many were skipped.
  int64_t skip(int64_t records);
  /// The contigs of the header whose lengths it gives, in its order.
  std::vector<genome::Contig> contigs() const;
  /// The length of a contig according to the header; 0 if unknown.
  int64_t length(const std::string& contig) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bigdna::variants
