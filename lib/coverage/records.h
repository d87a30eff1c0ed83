/// The records of files of reads and of signal, one after another, whatever the format: SAM, BAM, CRAM, BED, BEDPE,
/// fragment files, bigWig, bedGraph. What a file is, its content decides.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "coverage/contigs.h"

namespace bigdna::coverage {

enum class Kind { alignments, reads, pairs, fragments, intervals, bigwig, bedgraph };
/// "BAM, CRAM or SAM", "reads in BED" ...
std::string_view kind_name(Kind kind);
inline bool is_signal(Kind kind) { return kind == Kind::bigwig || kind == Kind::bedgraph; }
/// Whether a record is a fragment: both of its ends are cuts.
inline bool holds_fragments(Kind kind) { return kind != Kind::alignments && kind != Kind::reads && !is_signal(kind); }

/// Positions are 0-based and half-open, on the forward strand.
struct Read {
  enum class State : uint8_t { mapped, unmapped, secondary, supplementary, qc_fail, other_contig, no_pair };
  State state = State::mapped;
  bool duplicate = false;
  bool paired = false, proper = false;  // a read of a pair; of one whose reads lie as they should
  bool mitochondrial = false;
  char strand = '.';  // of a fragment: of its first read
  uint32_t contig = 0;
  int64_t start = 0, end = 0;
  /// Of a proper pair: bases from the first to the last aligned one of both reads, below 0 for the right read; 0 unless
  /// Records::needs_lengths().
  int64_t template_length = 0;
  int64_t mate_start = -1;  // of a proper pair; -1 without one
  bool first = false;       // the first read of its pair
  int mapq = -1;            // -1: the file has none
  int64_t count = 1;        // how many reads a fragment file counts for it
  std::string_view barcode;
  std::span<const std::pair<int64_t, int64_t>> blocks;  // its aligned parts if there are gaps; otherwise empty
};

/// Gets what read_records() reads.
class Records {
 public:
  virtual ~Records() = default;
  /// Called first, once.
  virtual void begin(Kind kind) = 0;
  /// Whether the lengths of pairs are used. To compute them, htslib needs a CRAM's reference, Contigs::reference().
  virtual bool needs_lengths() const = 0;
  virtual void read(const Read& read) = 0;
  virtual void value(uint32_t contig, int64_t start, int64_t end, float value) = 0;
};

/// Reads a file ("-" is stdin; bigWig needs a file on disk) from its start to its end, sorted or not. Errors name the
/// file and the line: missing, truncated, damaged, of another assembly, in no format that is read, a malformed line, a
/// CRAM without the reference that Records::needs_lengths() asks for, a position past the end of its contig, bedGraph
/// that is not sorted or overlaps. `threads`: that decompress.
void read_records(const std::string& path, const Contigs& contigs, int threads, Records& to);

}  // namespace bigdna::coverage
