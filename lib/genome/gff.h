/// Lines of gene annotations: GTF (Ensembl, GENCODE, UCSC) and GFF3 (NCBI, Ensembl).
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "genome/region.h"

namespace bigdna::genome {

struct GffRecord {
  std::string type;  // column 3: gene, transcript, mRNA, exon ...
  Region region;     // 0-based, half-open (the file: from 1, closed); strand + - or '.'
  /// Of the gene where the line says it, otherwise its identifier: gene_name, gene, Name, gene_id, ID; "" without
  /// these.
  std::string name;
  /// Whether it is a transcript: the type is transcript, or ends in RNA (mRNA, lnc_RNA ...) or in _transcript.
  bool is_transcript() const;
};

/// Whether a line has the form of GTF and GFF3: nine columns, with numbers in the fourth and fifth, but not in the
/// second, which is BED's start.
bool is_gff(std::string_view line);
/// Error (the cause alone) for a line that is not of this form, or whose interval or strand is wrong.
GffRecord gff_record(std::string_view line);

/// Tells transcripts from what is cut out of them: rows whose parent is a transcript that stands before them, as NCBI
/// has mature miRNAs below their primary_transcript. The 5' end of such a row is no start site.
class PrimaryTranscripts {
 public:
  /// Whether the row is a transcript, and no part of another one. `line` is the record's.
  bool add(const GffRecord& record, std::string_view line);

 private:
  std::set<std::string, std::less<>> identifiers_;
};

/// The genes of an annotation, of which one warning counts those without a transcript: in prokaryotes' a gene has a
/// coding sequence alone, and in some of them not even a row of its own.
class GenesWithoutTranscripts {
 public:
  void add(const GffRecord& record, std::string_view line);
  /// If there are any: "FILE: 2 of 3 genes have no transcript (...) and so no start site; ...".
  void warn(const std::string& path) const;

 private:
  std::set<std::string> genes_, with_transcript_;  // their identifiers
};

}  // namespace bigdna::genome
