/// What the VCF specification (4.0 to 4.5) asks of the parts of a VCF that bigdna reads. Genotypes are not looked at.
#pragma once

#include <string>
#include <string_view>

namespace bigdna::variants {

/// What is wrong with a line that begins with "##"; "" where nothing is. INFO, FORMAT, FILTER and contig lines must be
/// <ID=...,...> with closed quotes, INFO and FORMAT with a Number and a Type, ALT lines <...>; of others only the form KEY=VALUE
/// is asked.
std::string fault_of_meta_line(std::string_view line);
/// The same for the first line: ##fileformat=VCFv4.N.
std::string fault_of_first_line(std::string_view line);
/// The same for the line of column names. `samples` gets how many there are.
std::string fault_of_column_line(std::string_view line, int64_t& samples);

/// The first eight columns of a record, views into its line; those that the line lacks are ".".
struct Columns {
  std::string_view contig, position, id, ref, alt, quality, filter, info;
  size_t info_begin = 0, info_end = 0;  // where INFO lies in the line; both its size where it is missing
  int64_t count = 0;                    // of all columns of the line
};
Columns columns_of(std::string_view line);

/// What breaks the specification in ID, REF, ALT, QUAL, FILTER or INFO, such as blanks, empty parts or a key given twice; ""
/// where nothing does. What kind of allele it is does not matter here.
std::string fault_of_record(const Columns& columns);

}  // namespace bigdna::variants
