/// FASTA through htslib: streamed (plain, gzip, BGZF, stdin) or by random access (plain, BGZF with .fai).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "genome/alphabet.h"
#include "genome/region.h"

namespace bigdna::io {
class LineReader;  // io/lines.h
}

namespace bigdna::genome {

class IntervalSet;  // genome/interval_set.h

/// One record, normalised (genome/alphabet.h). `name` is the header up to the first blank.
struct FastaRecord {
  std::string name;
  std::string bases;
};

/// Streams records in file order. Errors (missing, empty, not FASTA, truncated) name the file; a record without
/// bases is kept, with a length of 0.
class FastaReader {
 public:
  /// "-" is stdin; `threads` above 1 inflate BGZF beside the caller.
  explicit FastaReader(const std::string& path, InvalidBases invalid = InvalidBases::error, int threads = 1);
  /// Goes on where `lines` is: `first` is the line last read from it.
  FastaReader(io::LineReader lines, std::string first, InvalidBases invalid = InvalidBases::error);
  ~FastaReader();
  FastaReader(FastaReader&&) noexcept;
  std::optional<FastaRecord> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What a FASTA has in lower case: the repeats of a soft-masked genome. Empty where none is.
IntervalSet soft_masked(const std::string& path);

struct Contig {
  std::string name;
  int64_t length = 0;
};

/// Random access. One object a thread (htslib's faidx_t is not thread-safe): make more with reopen(). A missing .fai
/// (or one older than the FASTA) is built beside it, or in the cache folder when that place is read-only. Plain gzip is
/// an Error that names the way out (bgzip).
class Genome {
 public:
  explicit Genome(const std::string& path, InvalidBases invalid = InvalidBases::error);
  ~Genome();
  Genome(Genome&&) noexcept;
  Genome& operator=(Genome&&) noexcept;
  /// Another handle on the same file, for another thread.
  Genome reopen() const;

  const std::string& path() const;
  const std::vector<Contig>& contigs() const;  // file order
  /// The genome's own spelling of a contig name: exact, or differing only by a "chr" prefix (said once on stderr),
  /// nullopt where it has none. `length` 0: unknown; a known length must agree for the prefix match.
  std::optional<std::string> resolve(const std::string& contig, int64_t length = 0) const;
  /// Length of a contig, by any spelling resolve() takes; Error naming genome and contig where it has none.
  int64_t length(const std::string& contig) const;
  /// The genome's own name of the region's contig. Error "WHERE: ..." where it has no such contig or the region ends
  /// past it: what is to be predicted must be there. `where` is "FILE:LINE".
  std::string require(const Region& region, const std::string& where) const;
  /// Bases of [start, end) on the forward strand, or their reverse complement where strand is '-'. What lies past
  /// the contig's ends is N, so the result always has region.length() bases. Error where the contig does not lie in the
  /// file as its index says (FastaLayout).
  std::string fetch(const Region& region) const;
  /// Parses a samtools region string (fai_parse_region): an end past the contig's is cut off, as samtools does; Error
  /// naming it where contig, numbers or order are wrong. The region carries the contig's name as typed.
  Region parse_region(const std::string& text) const;

 private:
  struct State;
  explicit Genome(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace bigdna::genome
