/// FASTA through htslib: streamed (plain, gzip, BGZF, xz, stdin) or by random access (plain, BGZF with .fai).
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
  /// "-" is stdin. With `threads` above 1, BGZF is decompressed on other threads.
  explicit FastaReader(const std::string& path, InvalidBases invalid = InvalidBases::error, int threads = 1);
  /// Continues where `lines` is; `first` is the line last read from it.
  FastaReader(io::LineReader lines, std::string first, InvalidBases invalid = InvalidBases::error);
  ~FastaReader();
  FastaReader(FastaReader&&) noexcept;
  std::optional<FastaRecord> next();
  /// "FILE: sequence NAME", for messages; stdin is "stdin".
  std::string where(const FastaRecord& record) const;
  /// next(), for outputs that name the record: Error if it has no name.
  std::optional<FastaRecord> next_named();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The intervals that a FASTA has in lower case: the repeats of a soft-masked genome.
IntervalSet soft_masked(const std::string& path);

struct Contig {
  std::string name;
  int64_t length = 0;
};

/// Random access. Each thread needs an object of its own, made with reopen(): htslib's faidx_t is not thread-safe. A
/// .fai that is missing or older than the FASTA is built beside it, or in the cache folder if that place is read-only.
/// Plain gzip is an Error that names the remedy (bgzip).
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
  /// The genome's name of a contig: the same, or one that differs only by a "chr" prefix (logged once); nullopt if
  /// there is none. Lengths that differ are another check's (variants::other_lengths()), whatever the spelling.
  std::optional<std::string> resolve(const std::string& contig) const;
  /// Length of a contig by any spelling that resolve() accepts; Error naming genome and contig if there is none.
  int64_t length(const std::string& contig) const;
  /// The genome's name of the contig of a region that is to be predicted. Error "WHERE: ..." if there is no such contig
  /// or the region ends past it; `where` is "FILE:LINE".
  std::string require(const Region& region, const std::string& where) const;
  /// Bases of [start, end) on the forward strand, or their reverse complement if strand is '-'. Positions past the
  /// contig's ends are N, so the result always has region.length() bases. Error if the contig does not lie in the file
  /// as the index says (FastaLayout).
  std::string fetch(const Region& region) const;
  /// Reads a region in samtools' notation (genome/region_string.h).
  Region parse_region(const std::string& text) const;

 private:
  struct State;
  explicit Genome(std::unique_ptr<State> state);
  /// What an error adds if the genome has no such contig, but one that is called "CONTIG:START-END", as samtools faidx
  /// names a piece; otherwise "".
  std::string piece_of(const std::string& contig) const;
  std::unique_ptr<State> state_;
};

}  // namespace bigdna::genome
