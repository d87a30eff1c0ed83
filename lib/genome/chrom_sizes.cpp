#include "genome/chrom_sizes.h"

#include <unordered_set>

#include "base/error.h"
#include "base/number.h"
#include "genome/bed.h"
#include "genome/region.h"
#include "io/lines.h"

namespace bigdna::genome {

std::vector<Contig> read_chrom_sizes(const std::string& path) {
  io::LineReader lines(path);
  std::vector<Contig> contigs;
  std::unordered_set<std::string> names;
  while (const auto line = lines.next()) {
    if (is_bed_comment(*line)) continue;
    auto columns = io::split(*line, line->find('\t') == line->npos ? ' ' : '\t');
    std::erase(columns, "");
    const auto bad = [&](const auto&... cause) { fail(lines.path(), ":", lines.line(), ": ", cause...); };
    if (columns.size() < 2 || columns[0].starts_with('>'))
      bad("is not a line of a table of contigs and their lengths (chrom.sizes)",
          columns[0].starts_with('>') ? "; it looks like FASTA" : "");
    const auto length = parse_number<int64_t>(columns[1]);
    if (!length) bad("length '", columns[1], "' is not a number");
    if (*length < 1 || *length > kMostPosition) bad("a contig cannot have ", *length, " bp");
    if (!names.emplace(columns[0]).second) bad("two contigs are called ", columns[0]);
    contigs.push_back({std::string(columns[0]), *length});
  }
  if (contigs.empty()) fail(lines.path(), ": lists no contig");
  return contigs;
}

}  // namespace bigdna::genome
