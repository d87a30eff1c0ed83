/// Lines of gene annotations: GTF (Ensembl, GENCODE, UCSC) and GFF3 (NCBI, Ensembl).
#pragma once

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
  bool named_by_gene = false;  // `name` is gene_name or gene
  bool has_name = false;       // `name` is not ID
  // As written, "" where the line has none. GFF3: ID, Parent (several are joined by commas), Derives_from, Is_circular.
  // GTF: transcript_id, gene_id, exon_number, tss_id. Where AUGUSTUS writes a name alone in column 9: the transcript_id
  // of a transcript's row, the gene_id of another.
  std::string id, parents, derives_from, transcript_id, gene_id, exon_number, tss_id;
  bool circular = false;  // the row is a contig whose end is followed by its start
  /// Whether it is a transcript: the type is transcript, or ends in RNA (mRNA, lnc_RNA ...) or in _transcript.
  bool is_transcript() const;
  /// Whether it is the first exon of a transcript or may be: exon, coding_exon ..., or the 5' UTR.
  bool is_exon() const;
  bool is_gene() const;  // gene, ncRNA_gene ...
};

/// Whether a line has the form of GTF and GFF3: nine columns, with numbers in the fourth and fifth, but not in the
/// second, which is BED's start.
bool is_gff(std::string_view line);
/// Error (the cause alone) for a line that is not of this form, or whose interval or strand is wrong.
GffRecord gff_record(std::string_view line);

}  // namespace bigdna::genome
