#include <htslib/bgzf.h>
#include <htslib/hts.h>
#include <htslib/sam.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "coverage/record_readers.h"

namespace bigdna::coverage {

namespace {
struct CloseAlignments {
  void operator()(htsFile* file) const { hts_close(file); }
};
struct FreeHeader {
  void operator()(sam_hdr_t* header) const { sam_hdr_destroy(header); }
};
struct FreeAlignment {
  void operator()(bam1_t* alignment) const { bam_destroy1(alignment); }
};

Read::State state_of(uint16_t flags) {
  if (flags & BAM_FUNMAP) return Read::State::unmapped;
  if (flags & BAM_FSECONDARY) return Read::State::secondary;
  if (flags & BAM_FSUPPLEMENTARY) return Read::State::supplementary;
  if (flags & BAM_FQCFAIL) return Read::State::qc_fail;
  return Read::State::mapped;
}

/// Sets the read's end and, if deletions or skipped bases divide it, its blocks.
void set_blocks(const bam1_t& alignment, std::vector<std::pair<int64_t, int64_t>>& blocks, Read& read) {
  blocks.clear();
  int64_t at = read.start;
  const uint32_t* cigar = bam_get_cigar(&alignment);
  for (uint32_t i = 0; i < alignment.core.n_cigar; ++i) {
    const int kind = bam_cigar_type(bam_cigar_op(cigar[i]));  // 1: of the read, 2: of the genome
    const int64_t length = bam_cigar_oplen(cigar[i]);
    if (!(kind & 2) || length == 0) continue;
    if (kind & 1) {
      if (!blocks.empty() && blocks.back().second == at)
        blocks.back().second += length;
      else
        blocks.emplace_back(at, at + length);
    }
    at += length;
  }
  read.end = blocks.empty() ? read.start : at;
  if (blocks.size() > 1 || (!blocks.empty() && blocks[0] != std::pair(read.start, read.end))) read.blocks = blocks;
}

/// Whether a program in the header counts soft-clipped bases in TLEN.
bool counts_clipped_bases(sam_hdr_t* header) {
  const char* const text = sam_hdr_str(header);
  const std::string_view all = text ? text : "";
  return all.find("PN:bowtie2") != all.npos || all.find("PN:hisat2") != all.npos;
}

/// Lengths of pairs: of the mate's CIGAR (MC, samtools fixmate -m) where a record has it, else of TLEN.
class PairLengths {
 public:
  PairLengths(sam_hdr_t* header, const std::string& name) : clipped_(counts_clipped_bases(header)), name_(name) {}
  ~PairLengths() { std::free(cigar_); }
  PairLengths(const PairLengths&) = delete;
  PairLengths& operator=(const PairLengths&) = delete;

  /// Of a proper pair, below 0 for the right read, which is the second one where both begin at the same base. The left
  /// read's fragment does not reach past the contig's end.
  int64_t of(const bam1_t& alignment, const Read& read, int64_t contig_length) {
    const auto& core = alignment.core;
    const bool left = core.pos != core.mpos ? core.pos < core.mpos : read.first;
    int64_t length = std::abs(static_cast<int64_t>(core.isize));
    if (!left) return -length;
    if (const auto of_mate = mate_bases(alignment)) {
      length = std::max(read.end, core.mpos + *of_mate) - read.start;
    } else if (const int64_t bases = clipped_ ? bases_clipped_before(alignment) : 0) {
      without_mate_ += bases < length;
      length = std::max<int64_t>(1, length - bases);
    }
    return std::min(length, contig_length - read.start);
  }
  void warn() const {
    if (without_mate_ > 0)
      log::warn(name_, ": TLEN of ", without_mate_, " pairs includes soft-clipped bases, as bowtie2 and HISAT2 count. ",
                "The left read's are taken off, the right read's are not known (samtools fixmate -m adds them as MC)");
  }

 private:
  std::optional<int64_t> mate_bases(const bam1_t& alignment) {
    const uint8_t* const tag = bam_aux_get(&alignment, "MC");
    const char* const text = tag ? bam_aux2Z(tag) : nullptr;
    if (!text || *text == '*') return std::nullopt;
    const auto count = sam_parse_cigar(text, nullptr, &cigar_, &room_);
    if (count <= 0) return std::nullopt;
    return bam_cigar2rlen(static_cast<int>(count), cigar_);
  }
  static int64_t bases_clipped_before(const bam1_t& alignment) {
    const uint32_t* const cigar = bam_get_cigar(&alignment);
    int64_t bases = 0;
    for (uint32_t i = 0; i < alignment.core.n_cigar && !(bam_cigar_type(bam_cigar_op(cigar[i])) & 2); ++i)
      if (bam_cigar_op(cigar[i]) == BAM_CSOFT_CLIP) bases += bam_cigar_oplen(cigar[i]);
    return bases;
  }

  const bool clipped_;
  const std::string& name_;
  uint32_t* cigar_ = nullptr;  // htslib's, of the mate
  size_t room_ = 0;
  int64_t without_mate_ = 0;
};
}  // namespace

void read_alignments(io::Input input, const std::string& path, const Contigs& contigs, int threads, Records& to) {
  const std::string name = path == "-" ? "stdin" : path;
  bool with_reference = false;  // a CRAM that is decoded with its reference
  const auto damaged = [&] {
    if (!with_reference) fail(name, ": is truncated or damaged");
    fail(name, ": cannot be decoded: its reference, which lengths of fragments need, is not ",
         contigs.reference().empty() ? "found (give -g)" : contigs.reference(),
         "; or the file is truncated or damaged");
  };
  errno = 0;
  std::unique_ptr<htsFile, CloseAlignments> file(hts_hopen(input.get(), path.c_str(), "r"));
  if (!file) fail(name, ": ", why_not_opened("is truncated or damaged"));
  (void)input.release();  // `file` closes it
  if (hts_check_EOF(file.get()) == 0) fail(name, ": is truncated: the mark at its end is missing");
  if (hts_get_format(file.get())->format == cram) {
    // Bases are not needed, so a CRAM is read without its reference; but htslib wants it where it computes SAM_TLEN.
    with_reference = to.needs_lengths();
    const int fields = SAM_FLAG | SAM_RNAME | SAM_POS | SAM_MAPQ | SAM_CIGAR | SAM_RNEXT | SAM_PNEXT |
                       (with_reference ? SAM_TLEN | SAM_AUX : 0);
    if (hts_set_opt(file.get(), CRAM_OPT_REQUIRED_FIELDS, fields) != 0 ||
        hts_set_opt(file.get(), CRAM_OPT_DECODE_MD, 0) != 0)
      fail(name, ": cannot be read");
    // htslib writes an index that is missing beside the reference, which is not ours to do.
    if (const auto& reference = contigs.reference();
        with_reference && !reference.empty() && std::filesystem::exists(reference + ".fai"))
      hts_set_opt(file.get(), CRAM_OPT_REFERENCE, reference.c_str());
  }
  if (threads > 1) hts_set_threads(file.get(), threads);
  const std::unique_ptr<sam_hdr_t, FreeHeader> header(sam_hdr_read(file.get()));
  if (!header) damaged();
  std::vector<genome::Contig> listed;
  for (int i = 0; i < sam_hdr_nref(header.get()); ++i)
    listed.push_back({sam_hdr_tid2name(header.get(), i), sam_hdr_tid2len(header.get(), i)});
  if (listed.empty()) fail(name, ": its header lists no contigs (@SQ)");
  const auto numbers = contigs.numbers_of(listed, name);
  std::vector<bool> mitochondrial;
  for (const auto& contig : listed) mitochondrial.push_back(is_mitochondrial(contig.name));

  to.begin(Kind::alignments);
  PairLengths lengths(header.get(), name);
  const bool with_lengths = to.needs_lengths();
  const std::unique_ptr<bam1_t, FreeAlignment> alignment(bam_init1());
  std::vector<std::pair<int64_t, int64_t>> blocks;
  while (true) {
    const int result = sam_read1(file.get(), header.get(), alignment.get());
    if (result < -1) damaged();
    if (result < 0) break;
    const auto& core = alignment->core;
    Read read;
    read.state = core.tid < 0 ? Read::State::unmapped : state_of(core.flag);
    read.duplicate = core.flag & BAM_FDUP;
    read.paired = core.flag & BAM_FPAIRED;
    if (read.state == Read::State::mapped) {
      read.mitochondrial = mitochondrial[static_cast<size_t>(core.tid)];
      read.mapq = core.qual;
      if (const auto number = numbers[static_cast<size_t>(core.tid)])
        read.contig = *number;
      else
        read.state = Read::State::other_contig;
    }
    if (read.state == Read::State::mapped) {
      read.strand = core.flag & BAM_FREVERSE ? '-' : '+';
      read.start = core.pos;
      set_blocks(*alignment, blocks, read);
      read.first = core.flag & BAM_FREAD1;
      const bool with_mate =
          read.paired && (core.flag & BAM_FPROPER_PAIR) && !(core.flag & BAM_FMUNMAP) && core.mtid == core.tid;
      if (with_mate) read.mate_start = core.mpos;
      read.proper = with_mate && core.isize != 0;
      const int64_t length = contigs[read.contig].length;
      if (read.proper && with_lengths) read.template_length = lengths.of(*alignment, read, length);
      if (read.start < 0 || read.end > length)
        fail(name, ": a read at ", listed[static_cast<size_t>(core.tid)].name, ":", read.start + 1, " ends past the ",
             length, " bp of its contig");
    }
    to.read(read);
  }
  if (hts_get_format(file.get())->compression == bgzf && file->format.format != cram && file->fp.bgzf->no_eof_block)
    fail(name, ": is truncated: the mark at its end is missing");
  lengths.warn();
}

}  // namespace bigdna::coverage
