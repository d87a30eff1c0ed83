/// Checks the parts of a VCF that bigdna reads against the specification (4.0 to 4.5). Genotypes are not checked.
#pragma once

#include <string>
#include <string_view>

namespace bigdna::variants {

/// What is wrong with a line that begins with "##"; "" if nothing is. INFO, FORMAT, FILTER and contig lines must be
/// <ID=...,...> with closed quotes, INFO and FORMAT lines also with a Number and a Type, ALT lines <...>; others must
/// have the form KEY=VALUE.
std::string fault_of_meta_line(std::string_view line);
/// The same for the first line: ##fileformat=VCFv4.N.
std::string fault_of_first_line(std::string_view line);
/// The same for the line of column names. `samples` gets the number of samples.
std::string fault_of_column_line(std::string_view line, int64_t& samples);

/// The first eight columns of a record, views into its line; those that the line lacks are ".".
struct Columns {
  std::string_view contig, position, id, ref, alt, quality, filter, info;
  size_t info_begin = 0, info_end = 0;  // range of INFO in the line; both are the line's size if it is missing
  int64_t count = 0;                    // of all columns of the line
};
Columns columns_of(std::string_view line);

/// What violates the specification in a record.
struct Fault {
  std::string kind;    // "QUAL is not a number"; one of a few dozen texts. "" for nothing
  std::string detail;  // "1,5"
  explicit operator bool() const { return !kind.empty(); }
  std::string text() const;  // "QUAL is not a number ('1,5')"
  bool operator==(const Fault&) const = default;
};
/// Faults of CHROM, ID, REF, ALT, QUAL, FILTER or INFO, such as blanks or a key without a value, independent of the
/// kind of allele: the first one, with which a record has no score, and the first that changes nothing in what a record
/// means (ID or FILTER has a value twice, an empty part or . beside others, FILTER is 0, INFO has an empty part or a
/// key twice).
struct Faults {
  Fault malformed, tolerated;
};
Faults faults_of_record(const Columns& columns);

}  // namespace bigdna::variants
