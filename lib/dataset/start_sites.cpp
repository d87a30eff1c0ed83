#include "dataset/start_sites.h"

#include <charconv>

#include "base/error.h"
#include "base/log.h"
#include "genome/bed.h"
#include "io/lines.h"

namespace bigdna::dataset {

namespace {
std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (size_t start = 0; start <= line.size();) {
    const size_t end = std::min(line.find('\t', start), line.size());
    fields.push_back(line.substr(start, end - start));
    start = end + 1;
  }
  return fields;
}

bool is_strand(std::string_view text) { return text == "+" || text == "-"; }

/// contig, position, strand: the first line that is no comment has three columns, the last of them a strand.
bool is_site_table(const std::string& path) {
  if (path == "-") return false;  // stdin cannot be looked at twice: BED
  io::LineReader lines(path);
  while (const auto line = lines.next()) {
    if (line->empty() || line->front() == '#') continue;
    const auto fields = fields_of(*line);
    return fields.size() == 3 && is_strand(fields[2]);
  }
  return false;
}

std::vector<StartSite> read_site_table(const std::string& path) {
  std::vector<StartSite> sites;
  io::LineReader lines(path);
  while (const auto line = lines.next()) {
    if (line->empty() || line->front() == '#') continue;
    const auto fields = fields_of(*line);
    StartSite site;
    const auto bad = [&](const char* cause) { fail(path, ":", lines.line(), ": ", cause); };
    if (fields.size() != 3) bad("expected contig, position and strand");
    const auto text = fields[1];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), site.position);
    if (error != std::errc{} || end != text.data() + text.size() || site.position < 0)
      bad("the position is not a number");
    if (!is_strand(fields[2])) bad("the strand is neither + nor -");
    site.contig = fields[0];
    site.strand = fields[2].front();
    site.line = lines.line();
    sites.push_back(std::move(site));
  }
  return sites;
}
}  // namespace

std::vector<StartSite> read_start_sites(const std::string& path) {
  std::vector<StartSite> sites;
  if (is_site_table(path)) {
    sites = read_site_table(path);
  } else {
    int64_t without_strand = 0;
    genome::BedReader bed(path);
    while (auto record = bed.next()) {
      const auto& region = record->region;
      if (region.length() < 1) fail(bed.path(), ":", record->line, ": a start site needs at least one base");
      if (region.strand == '.') {
        if (region.length() != 1)
          fail(bed.path(), ":", record->line, ": a record of ", region.length(),
               " bp without a strand names no start site");
        ++without_strand;
      }
      StartSite site{region.contig, region.strand == '-' ? region.end - 1 : region.start,
                     region.strand == '-' ? '-' : '+', record->name == "." ? "" : record->name, record->line};
      sites.push_back(std::move(site));
    }
    if (without_strand)
      log::warn(path, ": ", without_strand, " start sites have no strand and are taken as +");
  }
  if (sites.empty()) fail(path, ": holds no start site");
  return sites;
}

genome::Region promoter_interval(const StartSite& site, int64_t upstream, int64_t downstream) {
  const int64_t t = site.position;
  if (site.strand == '-') return {site.contig, t - downstream + 1, t + upstream + 1, '-'};
  return {site.contig, t - upstream, t + downstream, '+'};
}

}  // namespace bigdna::dataset
