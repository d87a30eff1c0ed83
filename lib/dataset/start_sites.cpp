#include "dataset/start_sites.h"

#include <charconv>
#include <optional>
#include <regex>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "genome/bed.h"
#include "io/lines.h"

namespace bigdna::dataset {

namespace {
enum class Format { bed, table, sga, fps };
constexpr const char* kFormatNames[] = {"BED", "contig, position, strand", "SGA", "FPS"};

bool is_strand(std::string_view text) { return text == "+" || text == "-"; }

std::optional<int64_t> number_of(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Format format_of(std::string_view line) {
  if (line.starts_with("FP ")) return Format::fps;
  const auto fields = io::split(line);
  if (fields.size() == 9 && !number_of(fields[1]) && number_of(fields[3]) && number_of(fields[4]))
    fail("is GTF or GFF, which is not read: give its transcripts as BED6 (columns 1, 4 less 1, 5, a name, 0, 7)");
  if (fields.size() == 3 && is_strand(fields[2])) return Format::table;
  if (fields.size() >= 5 && !number_of(fields[1]) && number_of(fields[2]) &&
      (is_strand(fields[3]) || fields[3] == "0"))
    return Format::sga;
  return Format::bed;
}

StartSite site_of_table(std::string_view line) {
  const auto fields = io::split(line);
  if (fields.size() != 3) fail("expected contig, position and strand");
  const auto position = number_of(fields[1]);
  if (!position || *position < 0) fail("the position is not a number");
  if (!is_strand(fields[2])) fail("the strand is not + or -");
  return {std::string(fields[0]), *position, fields[2].front(), "", 0};
}

StartSite site_of_sga(std::string_view line) {
  const auto fields = io::split(line);
  if (fields.size() < 5) fail("an SGA line has sequence, feature, position, strand and count");
  const auto position = number_of(fields[2]);
  if (!position || *position < 1) fail("the position (column 3, 1-based) is not a positive number");
  if (!is_strand(fields[3])) fail("a start site needs a strand (column 4): + or -, not '", fields[3], "'");
  return {std::string(fields[0]), *position - 1, fields[3].front(),
          std::string(fields.size() > 5 ? fields[5] : ""), 0};
}

StartSite site_of_fps(std::string_view line) {
  static const std::regex expression(
      R"(^FP\s+(.*?)\s*:[+-]?[A-Z]?\s+\w\w:(\S+)\s+[01]([+-])\s*(\d+)\s*;\s*(\S*).*$)");
  std::cmatch parts;
  if (!std::regex_match(line.data(), line.data() + line.size(), parts, expression))
    fail("not an FPS line (FP, name, :+S, EU:sequence, 1 and strand, position;)");
  const auto position = number_of(parts[4].str());
  if (!position || *position < 1) fail("the position (1-based) is not a positive number");
  std::string name;
  for (const char c : parts[1].str())  // blanks to single underscores
    if (c != ' ')
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  return {parts[2].str(), *position - 1, parts[3].str().front(), name, 0};
}

std::vector<StartSite> sites_of_bed(io::LineReader lines, std::string first) {
  std::vector<StartSite> sites;
  int64_t without_strand = 0;
  genome::BedReader bed(std::move(lines), std::move(first));
  while (auto record = bed.next()) {
    const auto& region = record->region;
    if (region.length() < 1)
      fail(bed.path(), ":", record->line, ": ", genome::kEmptyInterval, ", and a start site needs a base");
    if (region.strand == '.') {
      if (region.length() != 1)
        fail(bed.path(), ":", record->line, ": a record of ", region.length(),
             " bp without a strand does not define a start site");
      ++without_strand;
    }
    StartSite site{region.contig, region.strand == '-' ? region.end - 1 : region.start,
                   region.strand == '-' ? '-' : '+', record->name == "." ? "" : record->name, record->line};
    sites.push_back(std::move(site));
  }
  if (without_strand)
    log::warn(bed.path(), ": ",
              counted(without_strand, "start site has no strand and is", "start sites have no strand and are"),
              " taken as +");
  return sites;
}
}  // namespace

std::string chromosome_of_accession(const std::string& name) {
  if (!name.starts_with("NC_") || name.size() < 9) return name;
  const auto number = number_of(std::string_view(name).substr(3, 6));
  if (!number || (name.size() > 9 && name[9] != '.')) return name;
  const auto chromosome = [](int64_t index, int64_t autosomes) {
    return index <= autosomes ? concat("chr", index) : index == autosomes + 1 ? "chrX" : "chrY";
  };
  if (*number >= 1 && *number <= 24) return chromosome(*number, 22);        // human
  if (*number >= 67 && *number <= 87) return chromosome(*number - 66, 19);  // mouse
  return *number == 12920 || *number == 5089 ? "chrM" : name;
}

std::vector<StartSite> read_start_sites(const std::string& path) {
  io::LineReader lines(path);
  auto line = lines.next();
  while (line && genome::is_bed_comment(*line)) line = lines.next();
  if (!line) fail(lines.path(), ": has no start sites");
  const auto place = [&lines](const auto& read) {
    try {
      return read();
    } catch (const Error& error) {
      fail(lines.path(), ":", lines.line(), ": ", error.what());
    }
  };
  const Format format = place([&] { return format_of(*line); });
  if (format == Format::bed) return sites_of_bed(std::move(lines), std::string(*line));
  if (format != Format::table) log::info(lines.path(), ": is read as ", kFormatNames[static_cast<int>(format)]);

  std::vector<StartSite> sites;
  for (; line; line = lines.next()) {
    if (genome::is_bed_comment(*line)) continue;
    if (format == Format::fps && !line->starts_with("FP"))
      continue;  // EPD's other line types: ID, AC, XX, //
    sites.push_back(place([&] {
      const auto found = format_of(*line);
      if (found != format && found != Format::bed)
        fail("is ", kFormatNames[static_cast<int>(found)], ", but the lines before are ",
             kFormatNames[static_cast<int>(format)]);
      return format == Format::table ? site_of_table(*line)
             : format == Format::sga ? site_of_sga(*line)
                                     : site_of_fps(*line);
    }));
    sites.back().line = lines.line();
  }
  return sites;
}

genome::Region promoter_interval(const StartSite& site, int64_t upstream, int64_t downstream) {
  const int64_t t = site.position;
  if (site.strand == '-') return {site.contig, t - downstream + 1, t + upstream + 1, '-'};
  return {site.contig, t - upstream, t + downstream, '+'};
}

}  // namespace bigdna::dataset
