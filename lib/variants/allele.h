/// Decides which alternative alleles can be scored, and why the others cannot.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "genome/fasta.h"
#include "variants/vcf_reader.h"

namespace bigdna::variants {

/// Why an allele has no score; outputs show these names (skip_name).
enum class Skip {
  none,
  malformed_record,   // breaks the VCF specification in the columns that are read
  symbolic_allele,    // <DEL>, <*> ...
  spanning_deletion,  // *
  breakend,           // ]1:100]A, A. ...
  ambiguous_base,     // an IUPAC code or N in REF or ALT
  same_as_reference,  // ALT is REF
  contig_not_in_genome,
  position_not_on_contig,  // POS 0, or REF ends past the contig
  reference_mismatch,      // REF is not what the genome has
  allele_too_long,         // longer than --max-allele, or than the model has room for, in bp or in tokens
  no_site,                 // no start site of --sites whose interval holds the variant
  mostly_n                 // the model's interval is mostly N
};
const char* skip_name(Skip reason);  // "reference_mismatch"
/// An explanation for the log.
const char* skip_text(Skip reason);
/// As alleles are compared.
std::string upper_case(std::string text);
/// Whether the genome lacks the allele: its contig, position or REF.
bool is_absent(Skip reason);
inline constexpr int kSkips = static_cast<int>(Skip::mostly_n) + 1;

/// Keeps a stretch of a genome in memory, so that neighbouring variants do not read the file again.
class GenomeWindow {
 public:
  explicit GenomeWindow(const genome::Genome& genome) : genome_(genome) {}
  /// Like Genome::fetch() on the forward strand: N past the contig's ends. `contig` is the genome's name.
  std::string fetch(const std::string& contig, int64_t start, int64_t end);
  const genome::Genome& genome() const { return genome_; }

 private:
  const genome::Genome& genome_;
  genome::Region held_;
  std::string bases_;
};

/// One alternative allele of a record, in the genome's terms.
struct Allele {
  std::string contig;    // the genome's name; "" if it has no such contig
  int64_t position = 0;  // 0-based, of REF's first base
  std::string ref, alt;  // upper case
  Skip skip = Skip::none;
  bool ref_matches = false;
};

/// The same change in the fewest bases that VCF allows: without what REF and ALT share at their ends, but with one base
/// of each at least (Tan et al. 2015). Behind goes first.
Allele minimal(Allele allele);

/// Which contig of a VCF's header has another length in the genome: "FILE: its header says ...", naming the first and
/// how many more there are; "" for none. Contigs that the genome lacks do not count.
std::string other_lengths(const VcfReader& reader, const genome::Genome& genome);

/// Compares a record's alleles with the genome. Looks each contig up once.
class AlleleReader {
 public:
  /// `max_allele`: the longest REF or ALT, bp.
  AlleleReader(GenomeWindow& window, int64_t max_allele) : window_(window), max_allele_(max_allele) {}
  Allele read(const VcfRecord& record, const std::string& alt);

 private:
  GenomeWindow& window_;
  int64_t max_allele_;
  std::map<std::string, std::optional<genome::Contig>> contigs_;
};

/// Why the genome does not have an absent allele (is_absent), for an error at its record.
std::string absence_text(const VcfRecord& record, const Allele& allele, GenomeWindow& window);

/// Counts alleles that were scored, and by reason those that were not; logs them at the end.
class SkipCounts {
 public:
  void add(const Allele& allele) {
    ++counts_[static_cast<size_t>(allele.skip)];
    matched_ += allele.ref_matches;
  }
  int64_t scored() const { return counts_[0]; }
  int64_t total() const;
  /// {"malformed_record": 0, ...}: how many were skipped for each reason.
  nlohmann::ordered_json by_reason() const;
  int64_t of(Skip reason) const { return counts_[static_cast<size_t>(reason)]; }
  /// Error if there are alleles that the genome does not have (contig, position or REF), and none that it has.
  void refuse_other_genome(const std::string& input, const std::string& genome) const;
  /// Logs a line for each reason; warns if the genome does not have more than half of the alleles.
  void report(const std::string& genome) const;

 private:
  int64_t absent() const;
  std::array<int64_t, kSkips> counts_{};
  int64_t matched_ = 0;  // alleles whose REF is the genome's
};

}  // namespace bigdna::variants
