#include "variants/allele.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"

namespace bigdna::variants {

namespace {
struct Reason {
  const char *name, *text;
};
constexpr std::array<Reason, kSkips> kReasons{{
    {"", ""},
    {"malformed_record", "the record breaks the VCF specification"},
    {"symbolic_allele", "ALT is symbolic, such as <DEL>"},
    {"spanning_deletion", "ALT is *"},
    {"breakend", "ALT is a breakend"},
    {"ambiguous_base", "REF or ALT holds N or another IUPAC code"},
    {"same_as_reference", "ALT is REF"},
    {"contig_not_in_genome", "the genome has no such contig"},
    {"position_not_on_contig", "POS is 0, or REF ends past its contig"},
    {"reference_mismatch", "REF is not what the genome has"},
    {"allele_too_long",
     "longer than --max-allele, than half of what the model reads, or (LLR, GAP) in tokens than it has room for"},
    {"no_site", "no start site of --sites is in reach"},
    {"mostly_n", "what the model reads is mostly N"},
}};

enum class Letters { bases, ambiguous, other };
Letters letters_of(const std::string& text) {
  constexpr std::string_view kBases = "ACGT", kCodes = "NRYSWKMBDHVX";
  Letters found = Letters::bases;
  for (const char c : text) {
    if (kBases.find(c) != std::string_view::npos) continue;
    if (kCodes.find(c) == std::string_view::npos) return Letters::other;
    found = Letters::ambiguous;
  }
  return text.empty() ? Letters::other : found;
}

/// What can be said without the genome.
Skip skip_of_text(const VcfRecord& record, const std::string& ref, const std::string& alt) {
  if (record.faults.malformed) return Skip::malformed_record;
  if (alt == "*") return Skip::spanning_deletion;
  if (alt.starts_with('<')) return Skip::symbolic_allele;
  if (alt.find_first_of("[].") != std::string::npos) return Skip::breakend;
  const Letters letters = std::max(letters_of(ref), letters_of(alt));
  if (letters == Letters::other) return Skip::malformed_record;
  return letters == Letters::ambiguous ? Skip::ambiguous_base : ref == alt ? Skip::same_as_reference : Skip::none;
}
}  // namespace

const char* skip_name(Skip reason) { return kReasons[static_cast<size_t>(reason)].name; }
const char* skip_text(Skip reason) { return kReasons[static_cast<size_t>(reason)].text; }

std::string upper_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

bool is_absent(Skip reason) {
  return reason == Skip::contig_not_in_genome || reason == Skip::position_not_on_contig ||
         reason == Skip::reference_mismatch;
}

std::string GenomeWindow::fetch(const std::string& contig, int64_t start, int64_t end) {
  constexpr int64_t kAhead = 1 << 18, kBehind = 1 << 15;  // variants are mostly sorted, intervals reach back
  if (contig != held_.contig || start < held_.start || end > held_.end) {
    const int64_t last = std::max(end, std::min(end + kAhead, genome_.length(contig)));
    held_ = {contig, std::min(start, std::max<int64_t>(0, start - kBehind)), last, '+'};
    bases_ = genome_.fetch(held_);
  }
  return bases_.substr(static_cast<size_t>(start - held_.start), static_cast<size_t>(end - start));
}

Allele minimal(Allele allele) {
  auto &ref = allele.ref, &alt = allele.alt;
  const size_t most = std::min(ref.size(), alt.size());
  size_t behind = 0, before = 0;
  while (behind + 1 < most && ref[ref.size() - 1 - behind] == alt[alt.size() - 1 - behind]) ++behind;
  while (before + behind + 1 < most && ref[before] == alt[before]) ++before;
  ref = ref.substr(before, ref.size() - before - behind);
  alt = alt.substr(before, alt.size() - before - behind);
  allele.position += static_cast<int64_t>(before);
  return allele;
}

std::string other_lengths(const VcfReader& reader, const genome::Genome& genome) {
  std::map<std::string, int64_t> lengths;
  for (const auto& contig : genome.contigs()) lengths.emplace(contig.name, contig.length);
  std::string first;
  int64_t more = 0;
  for (const auto& contig : reader.contigs()) {
    auto found = lengths.find(contig.name);
    if (found == lengths.end()) found = lengths.find(genome::other_spelling(contig.name));
    if (found == lengths.end() || found->second == contig.length) continue;
    if (first.empty())
      first = concat(reader.path(), ": its header says that ", contig.name, " has ", contig.length, " bp, but in ",
                     genome.path(), " ", found->first, " has ", found->second);
    else
      ++more;
  }
  if (first.empty()) return "";
  return concat(first, more ? concat(" (and ", more, " more of its contigs differ)") : "",
                ": is it another assembly than the VCF's?");
}

Allele AlleleReader::read(const VcfRecord& record, const std::string& alt) {
  Allele allele{"", record.position, upper_case(record.ref), upper_case(alt), Skip::none, false};
  auto [found, unknown] = contigs_.try_emplace(record.contig);
  if (unknown)
    if (const auto name = window_.genome().resolve(record.contig))
      found->second = genome::Contig{*name, window_.genome().length(*name)};
  const auto& contig = found->second;
  if (contig) allele.contig = contig->name;
  allele.skip = skip_of_text(record, allele.ref, allele.alt);
  if (allele.skip == Skip::malformed_record || letters_of(allele.ref) != Letters::bases) return allele;
  const auto set = [&](Skip reason) {  // what was found first stays
    if (allele.skip == Skip::none) allele.skip = reason;
  };
  const auto length = static_cast<int64_t>(allele.ref.size());
  if (!contig) return set(Skip::contig_not_in_genome), allele;
  if (allele.position < 0 || allele.position > contig->length - length)
    return set(Skip::position_not_on_contig), allele;
  if (length <= std::max<int64_t>(max_allele_, 1 << 16)) {  // a REF of megabases is too long in any case
    allele.ref_matches = window_.fetch(contig->name, allele.position, allele.position + length) == allele.ref;
    if (!allele.ref_matches) return set(Skip::reference_mismatch), allele;
  }
  if (std::max(length, static_cast<int64_t>(allele.alt.size())) > max_allele_) set(Skip::allele_too_long);
  return allele;
}

std::string absence_text(const VcfRecord& record, const Allele& allele, GenomeWindow& window) {
  const std::string &genome = window.genome().path(), place = concat(record.contig, ":", record.position + 1);
  if (allele.skip == Skip::contig_not_in_genome) return concat(genome, " has no contig ", record.contig);
  if (allele.skip == Skip::position_not_on_contig)
    return concat(place, " and REF ", record.ref, " are not on the contig of ", genome);
  return concat("REF ", record.ref, " is not what ", genome, " has at ", place, " (",
                window.fetch(allele.contig, allele.position, allele.position + static_cast<int64_t>(allele.ref.size())),
                ")");
}

int64_t SkipCounts::total() const { return std::accumulate(counts_.begin(), counts_.end(), int64_t{0}); }

int64_t SkipCounts::absent() const {
  int64_t count = 0;
  for (int reason = 0; reason < kSkips; ++reason)
    if (is_absent(static_cast<Skip>(reason))) count += of(static_cast<Skip>(reason));
  return count;
}

nlohmann::ordered_json SkipCounts::by_reason() const {
  auto json = nlohmann::ordered_json::object();
  for (int reason = 1; reason < kSkips; ++reason)
    json[skip_name(static_cast<Skip>(reason))] = of(static_cast<Skip>(reason));
  return json;
}

void SkipCounts::refuse_other_genome(const std::string& input, const std::string& genome) const {
  if (absent() == 0 || matched_ > 0) return;
  fail(input, ": no allele is in ", genome, " (on unknown contigs: ", of(Skip::contig_not_in_genome),
       ", past the end of their contig: ", of(Skip::position_not_on_contig),
       ", with another REF: ", of(Skip::reference_mismatch), "): is it another assembly than the VCF's?");
}

void SkipCounts::report(const std::string& genome) const {
  for (int reason = 1; reason < kSkips; ++reason)
    if (const int64_t count = counts_[static_cast<size_t>(reason)])
      log::info("skipped: ", count, count == 1 ? " allele, " : " alleles, ", skip_name(static_cast<Skip>(reason)), " (",
                skip_text(static_cast<Skip>(reason)), ")");
  if (absent() > matched_)
    log::warn(absent(), " of ", counted(absent() + matched_, "allele"), absent() == 1 ? " is" : " are", " not in ",
              genome, " (contig, position or REF): is it another assembly than the VCF's?");
}

}  // namespace bigdna::variants
