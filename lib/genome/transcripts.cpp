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
  if (!record.id.empty() && !record.parents.empty())
    others_.try_emplace(record.id, Other{parts_of(record.parents), record.name});
  const auto& id = record.id.empty() ? record.gene_id : record.id;
  if (id.empty()) return;
  if (record.is_gene()) genes_.insert_or_assign(id, record.region);
  if (record.type == "pseudogene") pseudogenes_.insert(id);
  if ((record.is_gene() || record.type == "pseudogene") && record.has_name) gene_names_.try_emplace(id, record.name);
}

void Transcripts::add_transcript(const GffRecord& record, int64_t line) {
  const auto& id = record.id.empty() ? record.transcript_id : record.id;
  const auto& region = record.region;
  if (!id.empty()) extents_[id][{id, region.contig, region.strand, record.gene_id, ""}].add(region);
  auto parents = parts_of(record.parents);
  if (parents.empty()) with_transcript_.insert(record.gene_id);
  with_transcript_.insert(parents.begin(), parents.end());
  auto genes = parents.empty() ? std::vector{record.gene_id} : parents;
  rows_.push_back({start_of(region, record.name, line), std::move(genes), std::move(parents),
                   !record.derives_from.empty(), record.named_by_gene});
}

void Transcripts::add_exon(const GffRecord& record, int64_t line) {
  const auto transcripts = transcripts_of(record);
  const bool by_parent = !record.parents.empty();
  unnamed_exons_ += transcripts.empty();
  for (const auto& id : transcripts) {
    Place place{id, record.region.contig, record.region.strand, "", ""};
    if (!by_parent) place.gene = record.gene_id, place.tss = record.tss_id;
    auto& exons = exons_[place];
    if (exons.all.empty()) {
      // GFF3's Name is the exon's own.
      const auto& name = record.named_by_gene || (!by_parent && !record.name.empty()) ? record.name : record.gene_id;
      exons = {{}, name.empty() ? id : name, by_parent, record.named_by_gene};
    }
    exons.all.push_back({record.region.start, record.region.end, line, by_parent ? "" : record.exon_number});
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

std::string Transcripts::name_of(const Place& place, const Exons& exons) const {
  if (exons.named_by_gene) return exons.name;
  const auto other = others_.find(place.id);
  return gene_name({place.id, place.gene},
                   other == others_.end() ? exons.name : gene_name(other->second.parents, other->second.name));
}

bool Transcripts::have_row(const Place& place, const Exons& exons) {
  const auto rows = extents_.find(place.id);
  if (rows == extents_.end()) return false;
  bool found = false;
  for (const auto& [row, extent] : rows->second) {
    const bool same_gene = row.gene == place.gene || row.gene.empty() || place.gene.empty();
    if (!exons.by_parent && (row.contig != place.contig || !same_gene)) continue;
    found = true;
    if (row.contig != place.contig || row.strand != place.strand) continue;
    beyond_ += std::ranges::any_of(
        exons.all, [&](const Exon& exon) { return exon.start < extent.start || exon.end > extent.end; });
  }
  return found;
}

bool Transcripts::are_transcript(const Place& place, const Exons& exons) {
  if (have_row(place, exons)) return false;
  if (pseudogenes_.contains(place.id)) {
    ++of_pseudogenes_;
    return false;
  }
  return !(exons.by_parent && with_transcript_.contains(place.id));  // a gene that has transcripts
}

/// In the order of positions, a copy begins where an exon_number comes again, unless it is of the same exon, as a 5'
/// UTR has it.
std::vector<std::vector<Transcripts::Exon>> Transcripts::copies_of(const Exons& exons) {
  auto all = exons.all;
  std::ranges::stable_sort(all, {}, &Exon::start);
  std::vector<std::vector<Exon>> copies(1);
  for (const auto& exon : all) {
    const bool again = !exon.number.empty() && std::ranges::any_of(copies.back(), [&](const Exon& other) {
      return other.number == exon.number && other.end <= exon.start;
    });
    if (again) copies.emplace_back();
    copies.back().push_back(exon);
  }
  return copies;
}

std::vector<TranscriptStart> Transcripts::starts() {
  std::vector<TranscriptStart> starts;
  for (auto& row : rows_) {
    const bool product = row.derived || std::ranges::any_of(row.parents, [&](const std::string& parent) {
                           return extents_.contains(parent);
                         });
    products_ += product;
    if (product) continue;
    if (!row.named_by_gene) row.start.name = gene_name(row.genes, std::move(row.start.name));
    add_start(std::move(row.start), starts);
  }
  std::set<std::string> of_exons;  // genes
  std::map<std::string, int64_t> transcripts_of_identifier;
  for (const auto& [place, exons] : exons_) {
    coding_.erase(place.id);
    if (!are_transcript(place, exons)) continue;
    of_exons.insert(place.gene);
    if (exons.by_parent) of_exons.insert(place.id);  // where a gene has exons without a transcript between
    const auto copies = copies_of(exons);
    exons_alone_ += std::ssize(copies);
    if (!exons.by_parent) transcripts_of_identifier[place.id] += std::ssize(copies);
    for (const auto& copy : copies) {
      const auto last = std::ranges::max(copy, {}, &Exon::end).end;
      const auto line = std::ranges::min(copy, {}, &Exon::line).line;
      const auto& whole = read_from_exons_.emplace_back(place.contig, copy.front().start, last, place.strand);
      add_start(start_of(whole, name_of(place, exons), line), starts);
    }
  }
  for (const auto& [id, count] : transcripts_of_identifier) shared_identifiers_ += count > 1;
  with_transcript_.merge(of_exons);
  IntervalSet from_exons;  // by contig and strand
  for (const auto& whole : read_from_exons_) from_exons.add(whole.contig + whole.strand, whole.start, whole.end);
  for (const auto& id : coding_)
    only_coding_ += !extents_.contains(id) && !genes_.contains(id) && !pseudogenes_.contains(id);
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
  if (shared_identifiers_)
    log::info(path, ": ", some(shared_identifiers_, "transcript_id stands", "transcript_ids stand"),
              " for several transcripts, which are read apart: of several genes, contigs or strands, or copies of one");
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
