#include "genome/transcripts.h"

#include <algorithm>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "io/lines.h"

namespace bigdna::genome {

namespace {
std::vector<std::string> parts_of(std::string_view list) {
  std::vector<std::string> parts;
  for (const auto part : io::split(list, ','))
    if (!part.empty()) parts.emplace_back(part);
  return parts;
}

/// The identifiers of the transcripts that an exon or a coding sequence is of: GFF3's Parent, GTF's transcript_id.
std::vector<std::string> transcripts_of(const GffRecord& record) {
  return parts_of(record.parents.empty() ? record.transcript_id : record.parents);
}

TranscriptStart start_of(const Region& region, std::string name, int64_t line) {
  return {region.contig, region.strand == '-' ? region.end - 1 : region.start, region.strand, std::move(name), line};
}
}  // namespace

void Transcripts::Extent::add(const Region& region) {
  start = std::min(start, region.start);
  end = std::max(end, region.end);
}

void Transcripts::add(const GffRecord& record, int64_t line) {
  if (record.circular) circular_[record.region.contig] = record.region.end;
  if (record.is_transcript()) return add_transcript(record, line);
  if (record.is_exon()) return add_exon(record, line);
  if (record.type == "CDS") return add_coding(record);
  const auto& id = record.id.empty() ? record.gene_id : record.id;
  if (id.empty()) return;
  if (record.is_gene()) genes_.insert_or_assign(id, record.region);
  if (record.type == "pseudogene") pseudogenes_.insert(id);
  if ((record.is_gene() || record.type == "pseudogene") && record.has_name) gene_names_.try_emplace(id, record.name);
}

void Transcripts::add_transcript(const GffRecord& record, int64_t line) {
  const auto& id = record.id.empty() ? record.transcript_id : record.id;
  if (!id.empty()) {
    identifiers_.insert(id);
    extents_[{id, record.region.contig, record.region.strand}].add(record.region);
  }
  rows_.push_back({start_of(record.region, record.name, line), parts_of(record.parents), !record.derives_from.empty(),
                   record.named_by_gene});
  if (record.parents.empty()) with_transcript_.insert(record.gene_id);
  for (const auto& gene : rows_.back().parents) with_transcript_.insert(gene);
}

void Transcripts::add_exon(const GffRecord& record, int64_t line) {
  const auto transcripts = transcripts_of(record);
  unnamed_exons_ += transcripts.empty();
  for (const auto& id : transcripts) {
    const auto [found, added] = exons_.try_emplace({id, record.region.contig, record.region.strand});
    auto& exons = found->second;
    if (added) {
      const bool own_name = record.name == record.id;  // the exon's, where the line does not say the gene's
      exons = {.extent = {},
               .line = line,
               .name = own_name ? id : record.name,
               .gene = record.gene_id,
               .by_parent = !record.parents.empty(),
               .named_by_gene = record.named_by_gene};
    }
    exons.extent.add(record.region);
  }
}

void Transcripts::add_coding(const GffRecord& record) {
  for (const auto& id : transcripts_of(record)) coding_.insert(id);
  const auto& gene = record.id.empty() ? record.gene_id : record.id;
  if (record.parents.empty() && !gene.empty()) genes_.try_emplace(gene);  // of a gene without a row
}

void Transcripts::add_start(TranscriptStart start, std::vector<TranscriptStart>& starts) {
  if (start.strand == '.') {
    ++strandless_;
    return;
  }
  if (const auto found = circular_.find(start.contig); found != circular_.end() && start.position >= found->second)
    start.position -= found->second;
  starts.push_back(std::move(start));
}

std::string Transcripts::gene_name(const std::vector<std::string>& genes, std::string name) const {
  for (const auto& gene : genes)
    if (const auto found = gene_names_.find(gene); found != gene_names_.end()) return found->second;
  return name;
}

bool Transcripts::are_transcript(const Place& place, const Exons& exons) {
  if (identifiers_.contains(place.id)) {
    const auto row = extents_.find(place);
    beyond_ += row != extents_.end() && (exons.extent.start < row->second.start || exons.extent.end > row->second.end);
    return false;
  }
  if (pseudogenes_.contains(place.id)) {
    ++of_pseudogenes_;
    return false;
  }
  return !(exons.by_parent && with_transcript_.contains(place.id));  // a gene that has transcripts
}

std::vector<TranscriptStart> Transcripts::starts() {
  std::vector<TranscriptStart> starts;
  for (auto& row : rows_) {
    const bool product = row.derived || std::ranges::any_of(row.parents, [&](const std::string& parent) {
                           return identifiers_.contains(parent);
                         });
    products_ += product;
    if (product) continue;
    if (!row.named_by_gene) row.start.name = gene_name(row.parents, std::move(row.start.name));
    add_start(std::move(row.start), starts);
  }
  std::set<std::string> of_exons;  // genes
  for (const auto& [place, exons] : exons_) {
    coding_.erase(place.id);
    if (!are_transcript(place, exons)) continue;
    ++exons_alone_;
    of_exons.insert(exons.gene);
    if (exons.by_parent) of_exons.insert(place.id);  // where a gene has exons without a transcript between
    const auto& whole = read_from_exons_.emplace_back(place.contig, exons.extent.start, exons.extent.end, place.strand);
    const auto name = exons.named_by_gene ? exons.name : gene_name({place.id}, exons.name);
    add_start(start_of(whole, name, exons.line), starts);
  }
  with_transcript_.merge(of_exons);
  IntervalSet from_exons;  // by contig and strand
  for (const auto& whole : read_from_exons_) from_exons.add(whole.contig + whole.strand, whole.start, whole.end);
  for (const auto& id : coding_)
    only_coding_ += !identifiers_.contains(id) && !genes_.contains(id) && !pseudogenes_.contains(id);
  for (const auto& [gene, region] : genes_)
    without_transcript_ += !with_transcript_.contains(gene) &&
                           !from_exons.overlaps(region.contig + region.strand, region.start, region.end);
  std::ranges::stable_sort(starts, {}, &TranscriptStart::line);
  return starts;
}

void Transcripts::report(const std::string& path, bool names_genes) const {
  const char* const no_start = names_genes ? " no start site: they are not named, and what lies in them is intergenic"
                                           : " no start site: what is read around them counts as sequence without one";
  const auto some = [](int64_t count, const char* one, const char* many) { return counted(count, one, many); };
  if (exons_alone_)
    log::info(path, ": ", some(exons_alone_, "transcript has", "transcripts have"),
              " no row of their own and are read from their exons");
  if (products_)
    log::info(path, ": ", some(products_, "row is a product", "rows are products"),
              " of a transcript (Parent or Derives_from), and give no start site");
  if (strandless_)
    log::warn(path, ": ", some(strandless_, "transcript has", "transcripts have"), " no strand (column 7), and so",
              no_start);
  if (unnamed_exons_)
    log::warn(path, ": ", some(unnamed_exons_, "exon has", "exons have"),
              " neither transcript_id nor Parent, and are not read");
  if (of_pseudogenes_)
    log::info(path, ": ", some(of_pseudogenes_, "pseudogene has exons", "pseudogenes have exons"),
              " but no transcript, and give no start site");
  if (beyond_)
    log::warn(path, ": ", some(beyond_, "transcript has exons", "transcripts have exons"),
              " beyond their own row, whose 5' end is taken");
  if (only_coding_)
    log::warn(path, ": ", some(only_coding_, "transcript has", "transcripts have"),
              " neither a row nor exons, only coding sequence, and so", no_start);
  if (without_transcript_)
    log::warn(path, ": ", without_transcript_, " of ", counted(genes_.size(), "gene"),
              without_transcript_ == 1 ? " has" : " have",
              " no transcript (rows of type transcript, mRNA, lnc_RNA ..., or exons) and so", no_start,
              " (a BED file can give the genes' 5' ends as start sites)");
}

}  // namespace bigdna::genome
