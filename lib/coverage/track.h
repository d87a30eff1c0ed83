/// What of a file of reads is counted: the options of `bigdna coverage`, and of a row of tracks.tsv (docs/formats.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bigdna::coverage {

enum class Count {
  coverage,  // every aligned base
  starts,    // the 5' end of a read or, without a strand, the left end
  ends,      // the 3' end or, without a strand, the last base
  cuts,      // the 5' end of a read, both ends of a fragment
  midpoints
};
enum class Unit {
  automatic,  // reads where the file holds reads, but fragments of pairs for Count::midpoints
  reads,
  fragments  // a pair of reads, or a record of a file of fragments
};

struct TrackOptions {
  Count count = Count::coverage;
  Unit unit = Unit::automatic;
  char strand = '.';                          // '+' or '-': only what lies on it
  int64_t shift_plus = 0, shift_minus = 0;    // bp to the right, of reads of either strand, of a fragment's two ends
  int64_t extend = 0;                         // reads have this length from their 5' end; 0: as they are
  int64_t least_length = 0, most_length = 0;  // of fragments that are counted; most 0: any
  int min_mapq = 0;
  bool duplicates = false;              // are counted
  double scale = 1;                     // factor of all counts
  bool per_million = false;             // counts per million reads or fragments that are counted
  std::string barcodes, barcode_group;  // table of barcodes and their groups, and the group that is counted
};

/// One of these options as text: a column of tracks.tsv, and with - for _ an option of `bigdna coverage`.
struct TrackSetting {
  const char* name;
  const char* type;     // its value in help
  const char* initial;  // the default's text
  const char* help;
  std::vector<std::string> names;                               // all values, if they can be listed
  void (*set)(TrackOptions& options, const std::string& text);  // Error with the cause alone
  bool is_file = false;
};
std::span<const TrackSetting> track_settings();

/// UsageError "WHERE: ..." (without WHERE if that is "") if options contradict each other.
void check(const TrackOptions& options, const std::string& where);

std::string_view count_name(Count count);

}  // namespace bigdna::coverage
