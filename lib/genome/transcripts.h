/// The transcripts of a gene annotation, GTF or GFF3, and where they start.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "genome/gff.h"
#include "genome/interval_set.h"
#include "genome/region.h"

namespace bigdna::genome {

struct TranscriptStart {
  std::string contig;
  int64_t position = 0;  // 0-based
  char strand = '+';     // '+' or '-'
  std::string name;  // of its gene: by its own row, otherwise by the gene's (Parent); of the transcript without these
  int64_t line = 0;  // of the transcript's row, or of the first of its exons
};

/// Reads all rows before it judges any, so that their order decides nothing. A transcript is
/// - a row of such a type (GffRecord::is_transcript()), unless it is a product of a transcript: its Parent is one, as
///   NCBI's mature miRNAs have, or it has Derives_from, as miRBase's have;
/// - exons of one transcript_id or Parent without such a row, on one strand of a contig. Of a gene that has
///   transcripts, and of a pseudogene, exons are none. GTF's transcript_id may stand for several transcripts: those of
///   other genes (NCBI's unknown_transcript_1) or of another tss_id are apart, and so are copies of one, whose exons
///   have the same exon_number at another place.
class Transcripts {
 public:
  void add(const GffRecord& record, int64_t line);
  /// The 5' ends, in the order of lines. Past the end of a circular contig they go on at its start.
  std::vector<TranscriptStart> starts();
  /// From the first to the last base of each transcript that has no row and is read from its exons. After starts().
  const std::vector<Region>& read_from_exons() const { return read_from_exons_; }
  /// Logs what was read from exons and what was not read, by reason. After starts().
  /// `names_genes`: the starts are read to name genes, not as the start sites of a dataset.
  void report(const std::string& path, bool names_genes) const;
  /// For the message of a file that has none: how many rows of transcripts have no strand.
  int64_t strandless() const { return strandless_; }

 private:
  struct Row {
    TranscriptStart start;
    std::vector<std::string> genes;  // that may have its name
    std::vector<std::string> parents;
    bool derived = false, named_by_gene = false;
  };
  struct Place {
    std::string id, contig;
    char strand = '.';
    std::string gene, tss;  // GTF's gene_id and tss_id
    auto operator<=>(const Place&) const = default;
  };
  struct Extent {
    int64_t start = kMostPosition, end = 0;
    void add(const Region& region);
  };
  struct Exon {
    int64_t start = 0, end = 0, line = 0;
    std::string number;  // GTF's exon_number
  };
  struct Exons {
    std::vector<Exon> all;
    std::string name;
    bool by_parent = false;  // GFF3's Parent, which may be a gene
    bool named_by_gene = false;
  };
  struct Other {  // a row between a gene and its exons that is no transcript, as Ensembl's V_gene_segment
    std::vector<std::string> parents;
    std::string name;
  };
  void add_transcript(const GffRecord& record, int64_t line);
  void add_exon(const GffRecord& record, int64_t line);
  void add_coding(const GffRecord& record);
  /// The name of the first of these genes that has one; otherwise `name`.
  std::string gene_name(const std::vector<std::string>& genes, std::string name) const;
  std::string name_of(const Place& place, const Exons& exons) const;
  /// Whether a row of the same identifier is the transcript of these exons; counts exons beyond it.
  bool have_row(const Place& place, const Exons& exons);
  /// Whether exons without a row are a transcript; counts those that are none.
  bool are_transcript(const Place& place, const Exons& exons);
  /// Exons of one identifier, by the transcripts that they are of.
  static std::vector<std::vector<Exon>> copies_of(const Exons& exons);
  /// Adds a start, unless it has no strand, which is counted.
  void add_start(TranscriptStart start, std::vector<TranscriptStart>& starts);

  std::vector<Row> rows_;
  std::map<std::string, std::map<Place, Extent>> extents_;  // of the transcripts' rows, by their identifiers
  std::map<Place, Exons> exons_;
  std::map<std::string, Other> others_;  // by identifier
  std::map<std::string, Region> genes_;  // of which only coding sequence has a row, without a contig
  std::map<std::string, std::string, std::less<>> gene_names_;  // by identifier
  std::set<std::string> pseudogenes_, with_transcript_;         // identifiers of genes
  std::set<std::string> coding_;                                // transcripts that have coding sequence
  std::vector<Region> read_from_exons_;                         // transcripts without a row
  std::map<std::string, int64_t> circular_;                     // lengths of contigs
  int64_t exons_alone_ = 0, products_ = 0, strandless_ = 0, of_pseudogenes_ = 0, unnamed_exons_ = 0, beyond_ = 0,
          only_coding_ = 0, without_transcript_ = 0, shared_identifiers_ = 0;
};

}  // namespace bigdna::genome
