#include <algorithm>
#include <map>
#include <set>

#include "genome/bigwig.h"
#include "genome/bigwig_values.h"
#include "merge/joiners.h"

namespace bigdna::merge {

namespace {
/// The contigs of the merged file: those that have values, in the order of these, and then those that every part lists
/// (a part lists contigs without values unless it calls some by the input's names instead of the genome's).
std::vector<genome::Contig> contigs_of(const std::vector<genome::BigWigValues>& files) {
  std::vector<genome::Contig> contigs, others;
  std::set<std::string> valued;
  std::map<std::string, size_t> lists;  // in how many files with values a contig is listed
  size_t files_with_values = 0;
  for (const auto& file : files) {
    std::set<uint32_t> numbers;
    file.each([&](const genome::BigWigValue& value) { numbers.insert(value.contig); });
    files_with_values += !numbers.empty();
    for (const uint32_t number : numbers)
      if (valued.insert(file.contigs()[number].name).second) contigs.push_back(file.contigs()[number]);
    if (numbers.empty()) continue;
    for (const auto& contig : file.contigs()) ++lists[contig.name];
    others = file.contigs();
  }
  if (files_with_values == 0) return files.front().contigs();
  // in the genome's order: no file lists all of these in another
  for (const auto& contig : others)
    if (lists[contig.name] == files_with_values && !valued.contains(contig.name)) contigs.push_back(contig);
  return contigs;
}
}  // namespace

void join_bigwig(const Paths& parts, const std::string& output, int) {
  std::vector<genome::BigWigValues> files;
  for (const auto& part : parts) files.emplace_back(part);
  genome::BigWigWriter writer(output, contigs_of(files));
  std::string contig;
  int64_t begin = 0, end = 0;  // of the interval last added
  for (const auto& file : files) {
    bool first = true;
    file.each([&](const genome::BigWigValue& value) {
      const auto& name = file.contigs()[value.contig].name;
      int64_t start = value.start;
      if (first && name == contig && start >= begin) start = std::max(start, end);
      first = false;
      if (start >= value.end) return;
      contig = name, begin = start, end = value.end;
      writer.add(name, start, value.end, value.value);
    });
  }
  writer.commit();
}

}  // namespace bigdna::merge
