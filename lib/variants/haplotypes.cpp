/// Invariants: the replacements of events() ascend and do not overlap, and none crosses the centre of around(), which
/// moves to the start of a replacement that would. A stretch is built with kMargin bp more than needed, then cut.
#include "variants/haplotypes.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "io/delimited.h"
#include "variants/bcf_record.h"

namespace bigdna::variants {
namespace {

constexpr size_t kFixedColumns = 9;  // up to FORMAT

/// The columns of the samples that are wanted, among the sample columns.
std::vector<size_t> chosen_samples(const std::string& path, const VcfHeader& header, const std::string& wanted,
                                   std::vector<std::string>& names) {
  std::vector<std::string> all;
  for (const auto& field : io::split(header.columns)) all.emplace_back(field);
  all.erase(all.begin(), all.begin() + static_cast<int64_t>(std::min(kFixedColumns, all.size())));
  if (all.empty()) fail(path, ": has no samples, and so no haplotypes");
  std::vector<size_t> columns;
  if (wanted.empty()) {
    names = all;
    for (size_t i = 0; i < all.size(); ++i) columns.push_back(i);
    return columns;
  }
  for (const auto& name : io::split(wanted, ',')) {
    const auto found = std::ranges::find(all, name);
    if (found == all.end()) throw UsageError(concat("--samples: ", path, " has no sample ", name));
    const auto column = static_cast<size_t>(found - all.begin());
    if (std::ranges::find(columns, column) != columns.end()) throw UsageError(concat("--samples: ", name, " twice"));
    columns.push_back(column);
    names.emplace_back(name);
  }
  return columns;
}

}  // namespace

Genotype genotype_of(std::string_view text, size_t alts, const std::string& where) {
  Genotype genotype;
  const std::string_view whole = text;
  const auto damaged = [&]() { fail(where, ": genotype ", whole, " is not of one or two alleles of the record"); };
  bool slash = false;
  for (int which = 0;; ++which) {
    if (which == 2) damaged();
    const size_t end = std::min(text.find_first_of("|/"), text.size());
    const std::string_view number = text.substr(0, end);
    if (number != ".") {
      int allele = -1;
      const auto [last, error] = std::from_chars(number.data(), number.data() + number.size(), allele);
      if (error != std::errc() || last != number.data() + number.size() || allele < 0 ||
          static_cast<size_t>(allele) > alts)
        damaged();
      genotype.alleles[which] = allele;
    }
    if (end == text.size()) break;
    slash = text[end] == '/';
    text.remove_prefix(end + 1);
  }
  genotype.phased = !slash || genotype.alleles[0] == genotype.alleles[1];
  return genotype;
}

PhasedVariants::PhasedVariants(const std::string& path, std::vector<genome::Region> regions, const std::string& samples,
                               const genome::Genome& genome, int64_t max_allele) {
  for (auto& region : regions) {
    region.start = std::max<int64_t>(0, region.start - kMargin);
    region.end = std::min(genome.length(region.contig), region.end + kMargin);
  }
  VcfReader reader(path, std::move(regions));
  if (const auto other = other_lengths(reader, genome); !other.empty()) log::warn(other);
  const auto columns = chosen_samples(path, reader.header(), samples, samples_);
  GenomeWindow window(genome);
  AlleleReader alleles(window, max_allele);
  SkipCounts counts;
  while (const auto given = reader.next()) {
    const std::string line = given->bcf ? text_of(reader.header(), *given) : given->line;
    auto fields = io::split(std::string_view(line).substr(0, line.find_last_not_of("\r\n") + 1));
    if (fields.size() < kFixedColumns + 1) fail(given->where, ": has no genotypes");
    const auto keys = io::split(fields[kFixedColumns - 1], ':');
    if (keys.empty() || keys[0] != "GT") fail(given->where, ": FORMAT does not begin with GT");
    Record record{records_, given->position, {}, {}};
    const auto contig = genome.resolve(given->contig);
    for (const auto& alt : given->alts) {
      const auto allele = alleles.read(*given, alt);
      counts.add(allele);
      Replacement replacement{
          .start = given->position, .end = given->position + std::ssize(given->ref), .bases = {}, .usable = false};
      if (allele.skip == Skip::none) {
        std::string_view ref = allele.ref, of = allele.alt;
        int64_t start = allele.position;
        while (!ref.empty() && !of.empty() && ref[0] == of[0]) ref.remove_prefix(1), of.remove_prefix(1), ++start;
        while (!ref.empty() && !of.empty() && ref.back() == of.back()) ref.remove_suffix(1), of.remove_suffix(1);
        replacement = {.start = start,
                       .end = start + std::ssize(ref),
                       .bases = std::string(of),
                       .usable = true,
                       .last = allele.position + std::ssize(allele.ref) - 1,
                       .longer = of.size() > ref.size(),
                       .anchored = start > allele.position && ref.empty() != of.empty()};
      }
      record.alts.push_back(std::move(replacement));
    }
    bool carried = false;
    for (const size_t column : columns) {
      if (kFixedColumns + column >= fields.size()) fail(given->where, ": has fewer genotypes than samples");
      const auto field = fields[kFixedColumns + column];
      record.genotypes.push_back(genotype_of(field.substr(0, field.find(':')), given->alts.size(), given->where));
      for (const int allele : record.genotypes.back().alleles) carried |= allele > 0;
    }
    ++records_;
    if (carried && contig) by_contig_[*contig].push_back(std::move(record));
  }
  counts.refuse_other_genome(path, genome.path());
  counts.report(genome.path());
  for (auto& [contig, records] : by_contig_) std::ranges::stable_sort(records, {}, &Record::position);
}

std::vector<const PhasedVariants::Record*> PhasedVariants::records_in(const std::string& contig, int64_t start,
                                                                      int64_t end) const {
  std::vector<const Record*> found;
  const auto of_contig = by_contig_.find(contig);
  if (of_contig == by_contig_.end()) return found;
  for (auto record = std::ranges::lower_bound(of_contig->second, start, {}, &Record::position);
       record != of_contig->second.end() && record->position < end; ++record)
    found.push_back(&*record);
  return found;
}

std::vector<PhasedVariants::Event> PhasedVariants::events(const std::string& contig, int64_t start, int64_t end,
                                                          size_t sample, int which) const {
  std::vector<Event> all;
  const Replacement* last = nullptr;
  for (const Record* record : records_in(contig, start, end)) {
    const auto& genotype = record->genotypes[sample];
    const int allele = genotype.alleles[which];
    if (!genotype.phased) {
      all.push_back({record->position, nullptr, &Haplotype::unphased, record->number});
    } else if (allele > 0) {
      const auto& next = record->alts[static_cast<size_t>(allele - 1)];
      const bool overlaps = last && (record->position < last->last ||
                                     (record->position == last->last && (last->longer || !next.anchored)));
      if (!next.usable || overlaps) {
        all.push_back({next.start, nullptr, &Haplotype::skipped, record->number});
      } else {
        all.push_back({next.start, &next, &Haplotype::applied, record->number});
        last = &next;
      }
    }
  }
  // An insertion comes before what it stands in front of.
  std::ranges::stable_sort(all, {}, [](const Event& event) {
    return std::pair(event.start, event.replacement ? event.replacement->end : event.start);
  });
  return all;
}

Haplotype PhasedVariants::around(const std::string& contig, int64_t centre, int64_t before, int64_t after,
                                 size_t sample, int which, GenomeWindow& window) const {
  const int64_t first = centre - before - kMargin, last = centre + after + kMargin;
  const auto all = events(contig, first, last, sample, which);
  for (const auto& event : all)
    if (event.replacement && event.replacement->start < centre && event.replacement->end > centre)
      centre = event.replacement->start;
  struct Stretch {
    std::string bases;
    std::vector<std::pair<int64_t, const Event*>> events = {};  // with their places in `bases`
  };
  const auto stretch = [&](int64_t begin, int64_t to) {
    Stretch built;
    int64_t from = begin;  // behind what is built
    for (const auto& event : all) {
      if (event.start < begin || event.start >= to) continue;
      if (event.start > from) {
        built.bases += window.fetch(contig, from, event.start);
        from = event.start;
      }
      built.events.emplace_back(std::ssize(built.bases), &event);
      if (!event.replacement) continue;
      built.bases += event.replacement->bases;
      from = event.replacement->end;
    }
    if (from < to) built.bases += window.fetch(contig, from, to);
    return built;
  };
  auto left = stretch(first, centre), right = stretch(centre, last);
  const int64_t cut = std::ssize(left.bases) - before;
  if (cut < 0 || std::ssize(right.bases) < after)
    fail(contig, ":", centre + 1, ": a haplotype has deletions of more than ", kMargin, " bp there");
  Haplotype haplotype;
  const auto count = [&](const Event& event) {
    ++(haplotype.*event.count);
    if (event.count == &Haplotype::unphased) haplotype.unphased_records.push_back(event.record);
  };
  for (const auto& [at, event] : left.events)
    if (at >= cut) count(*event);
  for (const auto& [at, event] : right.events)
    if (at < after) count(*event);
  haplotype.bases = left.bases.substr(static_cast<size_t>(cut)) + right.bases.substr(0, static_cast<size_t>(after));
  return haplotype;
}

}  // namespace bigdna::variants
