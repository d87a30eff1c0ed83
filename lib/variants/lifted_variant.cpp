#include "variants/lifted_variant.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/number.h"
#include "genome/alphabet.h"
#include "io/lines.h"
#include "variants/indel_place.h"
#include "variants/info_lines.h"
#include "variants/bcf_record.h"
#include "variants/vcf_text.h"

namespace bigdna::variants {

namespace {
constexpr const char *kRejected = "BIGDNA_REJECTED", *kEnd = "END";
constexpr const char* kCommand = "liftover";

Rejection rejection_of(genome::Unlifted reason) {
  using enum genome::Unlifted;
  switch (reason) {
    case partial:
      return {"partly_deleted", "some bases of REF are not aligned"};
    case split:
      return {"split", "several chains align parts of REF"};
    case duplicated:
      return {"duplicated", "several chains align REF"};
    default:
      return {"deleted", "no base of REF is aligned"};
  }
}

Rejection rejection_of(Skip reason) { return {skip_name(reason), skip_text(reason)}; }

/// The reverse complement of bases; anything else stays as it is.
void turn(std::string& allele) {
  if (const auto bases = upper_case(allele); genome::is_bases(bases)) allele = genome::reverse_complement(bases);
}

bool is_indel(const VcfRecord& record, const std::string& alt) { return alt != "*" && alt.size() != record.ref.size(); }

bool has_indel(const VcfRecord& record) {
  return std::ranges::any_of(record.alts, [&](const auto& alt) { return is_indel(record, alt); });
}

/// Moves an insertion or deletion as far to the left as the genome allows, with as few bases as describe it (Tan,
/// Abecasis and Kang 2015). Stops at N and at the contig's start.
void left_align(VcfRecord& record, GenomeWindow& window) {
  std::vector<std::string*> alleles{&record.ref};
  for (auto& alt : record.alts)
    if (alt != "*") alleles.push_back(&alt);
  const auto share = [&](auto base_of) {
    return std::ranges::all_of(alleles, [&](const auto* allele) { return base_of(*allele) == base_of(record.ref); });
  };
  const auto fewest = [&] {
    return (*std::ranges::min_element(alleles, {}, [](const auto* allele) { return allele->size(); }))->size();
  };
  while (share([](const std::string& allele) { return allele.back(); })) {
    std::string before;
    if (fewest() == 1) {
      if (record.position > 0) before = window.fetch(record.contig, record.position - 1, record.position);
      if (!genome::is_bases(before) || before.empty()) break;
      --record.position;
    }
    for (auto* allele : alleles) *allele = before + allele->substr(0, allele->size() - 1);
  }
  while (fewest() > 1 && share([](const std::string& allele) { return allele.front(); })) {
    for (auto* allele : alleles) allele->erase(0, 1);
    ++record.position;
  }
}

/// INFO without a key.
std::string without(std::string_view info, std::string_view key) {
  std::string rest;
  for (const auto part : io::split(info, ';')) {
    if (part == "." || part.empty() || part.substr(0, part.find('=')) == key) continue;
    rest.append(rest.empty() ? "" : ";").append(part);
  }
  return rest.empty() ? "." : rest;
}

std::string with(std::string_view info, std::string_view key, std::string_view value) {
  const auto rest = without(info, key);
  return concat(rest == "." ? "" : rest + ";", key, "=", value);
}

/// The last base of REF, 1-based, as END of INFO says it; nullopt where it says nothing.
std::optional<std::string_view> end_of(std::string_view info) {
  for (const auto part : io::split(info, ';'))
    if (part.substr(0, part.find('=')) == kEnd && part.size() > std::string_view(kEnd).size())
      return part.substr(part.find('=') + 1);
  return std::nullopt;
}

/// A line of VCF with these columns, and what follows INFO in `line`.
std::string line_of(const Columns& columns, std::string_view line) {
  return concat(columns.contig, '\t', columns.position, '\t', columns.id, '\t', columns.ref, '\t', columns.alt, '\t',
                columns.quality, '\t', columns.filter, '\t', columns.info, line.substr(columns.info_end));
}

std::string joined(const std::vector<std::string>& alts) {
  std::string text;
  for (const auto& alt : alts) text.append(text.empty() ? "" : ",").append(alt);
  return text.empty() ? "." : text;
}

/// The lines of `meta` that `keep` lets pass, then those of the provenance and `last`.
std::string header_of(const VcfHeader& header, const io::Provenance& provenance, const std::string& last,
                      bool (*keep)(std::string_view)) {
  const std::string own = concat("##INFO=<ID=", kRejected, ",");
  std::string text;
  for (const auto line : io::split(header.meta, '\n'))
    if (!line.empty() && !line.starts_with(own) && keep(line)) text.append(line).push_back('\n');
  for (const auto& line : provenance_lines(provenance, kCommand)) text.append(line).push_back('\n');
  return text + last + header.columns + "\n";
}
}  // namespace

VariantLifter::VariantLifter(const genome::Chains& chains, const genome::Genome& genome)
    : chains_(chains), window_(genome), alleles_(window_, std::numeric_limits<int64_t>::max()) {}

void VariantLifter::refuse_other_assembly(const std::string& where, const std::string& contig) const {
  const auto& genome = window_.genome();
  const auto length = chains_.query_length(contig);
  if (length && *length != genome.length(contig))
    fail(where, ": is lifted to ", contig, ", which has ", *length, " bp in the chain file, but ",
         genome.length(contig), " bp in ", genome.path(), ": is that the FASTA of the other assembly?");
}

std::optional<Rejection> VariantLifter::fault_of_alleles(const VcfRecord& moved) {
  for (const auto& alt : moved.alts) {
    const auto allele = alleles_.read(moved, alt);
    if (allele.skip == Skip::reference_mismatch && moved.alts.size() == 1 && allele.alt.size() == allele.ref.size() &&
        window_.fetch(moved.contig, moved.position, moved.position + std::ssize(allele.ref)) == allele.alt)
      return Rejection{"alleles_swapped", "the genome has ALT where REF was"};
    if (allele.skip != Skip::none && allele.skip != Skip::spanning_deletion) return rejection_of(allele.skip);
  }
  if (!alleles_.read(moved, "*").ref_matches) return rejection_of(Skip::reference_mismatch);
  return std::nullopt;
}

bool VariantLifter::aligns_indels(const genome::Region& region, const VcfRecord& moved, bool turned) {
  const int64_t start = moved.position, end = start + region.length();
  int64_t before = 0, after = 0;
  for (const auto& alt : moved.alts) {
    if (!is_indel(moved, alt)) continue;
    const auto place = indel_place(moved, alt, window_);
    before = std::max(before, start - place.start);
    after = std::max(after, place.end - end);
  }
  if (turned) std::swap(before, after);
  const auto length = chains_.target_length(region.contig);
  const genome::Region whole{region.contig, std::max<int64_t>(0, region.start - before),
                             std::min(region.end + after, length.value_or(region.end)), '+'};
  const auto lifted = chains_.lift(whole, /*least=*/1.0);
  return lifted.reason == genome::Unlifted::none && lifted.region.length() == whole.length();
}

std::optional<Rejection> VariantLifter::lift_to_genome(VcfRecord& moved, bool& turned) {
  if (moved.faults.malformed) return rejection_of(Skip::malformed_record);
  if (moved.position < 0) return rejection_of(Skip::position_not_on_contig);
  const genome::Region region{moved.contig, moved.position, moved.position + std::ssize(moved.ref), '+'};
  chains_.refuse_past_end(region, moved.where);
  const auto lifted = chains_.lift(region, /*least=*/1.0);
  if (lifted.reason != genome::Unlifted::none) return rejection_of(lifted.reason);
  if (lifted.region.length() != region.length())
    return Rejection{"gap_in_reference", "the other assembly has more bases within REF"};
  const auto contig = window_.genome().resolve(lifted.region.contig);
  if (!contig) return rejection_of(Skip::contig_not_in_genome);
  refuse_other_assembly(moved.where, *contig);
  turned = lifted.region.strand == '-';
  moved.contig = *contig;
  moved.position = lifted.region.start;
  if (turned) {
    turn(moved.ref);
    std::ranges::for_each(moved.alts, turn);
  }
  if (const auto fault = fault_of_alleles(moved)) return fault;
  if (has_indel(moved) && !aligns_indels(region, moved, turned))
    return Rejection{"gap_around_indel", "the assemblies differ next to an insertion or deletion, or in its repeat"};
  if (turned && has_indel(moved)) left_align(moved, window_);
  return std::nullopt;
}

LiftedVariant VariantLifter::lift(const VcfHeader& header, const VcfRecord& record) {
  LiftedVariant result{record, {}, false};
  VcfRecord& moved = result.record;
  const std::string line = text_of(header, record);
  Columns columns = columns_of(line);
  result.rejected = lift_to_genome(moved, result.turned);
  const auto end = end_of(columns.info);
  if (end && !result.rejected && parse_number<int64_t>(*end) != record.position + std::ssize(record.ref))
    result.rejected = {"end_not_of_reference", "END is not the last base of REF, as in blocks of a gVCF"};
  std::string position, alt, info;
  if (result.rejected) {
    moved = record;
    info = with(columns.info, kRejected, result.rejected->name);
    columns.info = info;
  } else {
    position = concat(moved.position + 1);
    alt = joined(moved.alts);
    info = without(columns.info, kRejected);
    if (end) info = with(info, kEnd, concat(moved.position + std::ssize(moved.ref)));
    columns.contig = moved.contig, columns.position = position, columns.ref = moved.ref, columns.alt = alt;
    columns.info = info;
  }
  moved.line = line_of(columns, line);
  moved.bcf.reset();  // the line says all
  return result;
}

std::string lifted_header(const VcfHeader& header, const genome::Genome& genome, const io::Provenance& provenance) {
  std::string contigs;
  for (const auto& contig : genome.contigs())
    contigs += concat("##contig=<ID=", contig.name, ",length=", contig.length, ">\n");
  return header_of(header, provenance, contigs, [](std::string_view line) {
    return !line.starts_with("##contig=") && !line.starts_with("##reference=");
  });
}

std::string rejected_header(const VcfHeader& header, const io::Provenance& provenance) {
  const auto line = concat("##INFO=<ID=", kRejected,
                           ",Number=1,Type=String,Description=\"Why bigdna liftover did not lift the record\">\n");
  return header_of(header, provenance, line, [](std::string_view) { return true; });
}

}  // namespace bigdna::variants
