#include "coverage/contigs.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "genome/assemblies.h"
#include "genome/region.h"

namespace bigdna::coverage {

Contigs::Contigs(std::vector<genome::Contig> contigs, std::string source, std::string reference)
    : contigs_(std::move(contigs)), source_(std::move(source)), reference_(std::move(reference)) {
  for (uint32_t i = 0; i < contigs_.size(); ++i) {
    if (contigs_[i].length > std::numeric_limits<uint32_t>::max())
      fail(source_, ": ", contigs_[i].name, " is too long (", contigs_[i].length, " bp; at most 2^32)");
    numbers_.emplace(contigs_[i].name, i);
  }
  for (uint32_t i = 0; i < contigs_.size(); ++i)  // exact names come first
    numbers_.emplace(genome::other_spelling(contigs_[i].name), i);
}

std::optional<uint32_t> Contigs::find(std::string_view name) const {
  const auto found = numbers_.find(std::string(name));
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::optional<uint32_t>> Contigs::numbers_of(const std::vector<genome::Contig>& header,
                                                         const std::string& path) const {
  std::vector<std::optional<uint32_t>> numbers;
  std::vector<const genome::Contig*> taken(contigs_.size());
  for (const auto& contig : header) {
    auto& number = numbers.emplace_back(find(contig.name));
    if (!number) continue;
    const auto& [name, length] = contigs_[*number];
    if (length != contig.length)
      fail(path, ": is of another assembly: it has ", genome::contig_and_length(contig.name, contig.length), ", and ",
           source_, " has ", genome::contig_and_length(name, length));
    if (const auto*& other = taken[*number])
      fail(path, ": has both ", other->name, " and ", contig.name, ", which are one contig of ", source_);
    else
      other = &contig;
  }
  if (std::ranges::none_of(numbers, [](const auto& number) { return number.has_value(); }))
    fail(path, ": none of its contigs (", header.empty() ? "it lists none" : header.front().name + " ...", ") is in ",
         source_, " (", contigs_.front().name, " ...)");
  return numbers;
}

bool is_mitochondrial(std::string_view name) {
  if (name.starts_with("chr")) name.remove_prefix(3);
  constexpr std::string_view kNames[] = {"M", "MT", "Mt", "Mito", "mitochondrion", "mitochondrion_genome", "MtDNA"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

}  // namespace bigdna::coverage
