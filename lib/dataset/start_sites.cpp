#include "dataset/start_sites.h"

#include <algorithm>
#include <charconv>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/number.h"
#include "genome/assemblies.h"
#include "genome/bed.h"
#include "genome/gff.h"
#include "genome/transcripts.h"
#include "io/lines.h"

namespace bigdna::dataset {

namespace {
enum class Format { bed, table, sga, fps, gff };
constexpr const char* kFormatNames[] = {"BED", "contig, position, strand", "SGA", "FPS", "GTF or GFF"};

bool is_strand(std::string_view text) { return text == "+" || text == "-"; }

Format format_of(std::string_view line) {
  if (line.starts_with("FP ")) return Format::fps;
  const auto fields = io::split(line);
  if (genome::is_gff(line)) return Format::gff;
  if (fields.size() == 3 && is_strand(fields[2])) return Format::table;
  if (fields.size() >= 5 && !parse_number<int64_t>(fields[1]) && parse_number<int64_t>(fields[2]) &&
      (is_strand(fields[3]) || fields[3] == "0"))
    return Format::sga;
  return Format::bed;
}

StartSite site_of_table(std::string_view line) {
  const auto fields = io::split(line);
  if (fields.size() != 3) fail("expected contig, position and strand");
  const auto position = parse_number<int64_t>(fields[1]);
  if (!position || *position < 0) fail("the position is not a number");
  if (!is_strand(fields[2])) fail("the strand is not + or -");
  return {std::string(fields[0]), *position, fields[2].front(), "", 0};
}

StartSite site_of_sga(std::string_view line) {
  const auto fields = io::split(line);
  if (fields.size() < 5) fail("an SGA line has sequence, feature, position, strand and count");
  const auto position = parse_number<int64_t>(fields[2]);
  if (!position || *position < 1) fail("the position (column 3, 1-based) is not a positive number");
  if (!is_strand(fields[3])) fail("a start site needs a strand (column 4): + or -, not '", fields[3], "'");
  return {std::string(fields[0]), *position - 1, fields[3].front(), std::string(fields.size() > 5 ? fields[5] : ""), 0};
}

std::vector<std::string_view> words_of(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  std::vector<std::string_view> words;
  for (size_t at = text.find_first_not_of(kBlanks); at != text.npos; at = text.find_first_not_of(kBlanks, at)) {
    const size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

/// Whether a word ends as the name of an FPS line does: ":+S", ":-R", ":S", ":+" or ":".
bool is_fps_type(std::string_view word) {
  const size_t colon = word.rfind(':');
  if (colon == word.npos) return false;
  auto type = word.substr(colon + 1);
  if (type.starts_with('+') || type.starts_with('-')) type.remove_prefix(1);
  return type.empty() || (type.size() == 1 && type[0] >= 'A' && type[0] <= 'Z');
}

StartSite site_of_fps(std::string_view line) {
  // "FP", words of a name that ends in ":", "+" or "-" and a letter, then "EU:sequence", "1+", position and ";"
  const auto bad = [] { fail("not an FPS line (FP, name, :+S, EU:sequence, 1 and strand, position;)"); };
  const auto words = words_of(line.substr(0, line.find(';')));
  const auto is_sequence = [](std::string_view word) { return word.size() > 3 && word[2] == ':'; };
  size_t type = 1;
  while (type + 1 < words.size() && !(is_fps_type(words[type]) && is_sequence(words[type + 1]))) ++type;
  if (line.find(';') == line.npos || type + 1 >= words.size()) bad();
  std::string name;  // its words joined by underscores
  for (size_t i = 1; i <= type; ++i) {
    const auto word = i < type ? words[i] : words[i].substr(0, words[i].rfind(':'));
    if (!word.empty()) name += (name.empty() ? "" : "_") + std::string(word);
  }
  const auto sequence = words[type + 1];
  std::string place;  // "1+" and the position, which may stand apart
  for (size_t i = type + 2; i < words.size(); ++i) place += words[i];
  if (place.size() < 3 || (place[0] != '0' && place[0] != '1') || !is_strand(place.substr(1, 1))) bad();
  const auto position = parse_number<int64_t>(std::string_view(place).substr(2));
  if (!position || *position < 1) fail("the position (1-based) is not a positive number");
  return {std::string(sequence.substr(3)), *position - 1, place[1], name, 0};
}

/// The thick part (columns 7 and 8) of a record without blocks, of which it is a fraction. nullopt for other records,
/// as peaks with scores there.
std::optional<genome::Region> thick_part_of(const genome::BedRecord& record) {
  constexpr int kWithThickPart = 8, kWithBlocks = 12;
  const auto& region = record.region;
  if (record.columns < kWithThickPart || record.columns >= kWithBlocks) return std::nullopt;
  const auto start = parse_number<int64_t>(record.extra[genome::kThickStart]),
             end = parse_number<int64_t>(record.extra[genome::kThickEnd]);
  if (!start || !end || *start >= *end || *end - *start >= region.length()) return std::nullopt;
  return genome::Region{region.contig, *start, *end, region.strand};
}

StartSite site_at(const genome::BedRecord& record, const genome::Region& region) {
  const bool minus = region.strand == '-';
  return {region.contig, minus ? region.end - 1 : region.start, minus ? '-' : '+',
          record.name == "." ? "" : record.name, record.line};
}

/// Start sites of a BED file that thick parts (columns 7 and 8) mark, as in EPDnew's and FANTOM5's files, or would if
/// they lay within the records. Where a long record has one, records are transcripts and their thick parts are coding:
/// then none marks a start site.
class ThickParts {
 public:
  /// The record's thick part, if it marks the start site; else the record's interval.
  StartSite site_of(const genome::BedRecord& record) {
    constexpr int kWithColours = 9;     // peaks have other numbers there, and more columns
    constexpr int64_t kLongest = 1000;  // bp of a record that holds a start site
    const auto number = static_cast<size_t>(records_++);
    const auto thick = thick_part_of(record);
    const bool within = thick && thick->start >= record.region.start && thick->end <= record.region.end;
    const bool is_long = record.region.length() > kLongest;
    if (within && is_long && coding_++ == 0) coding_line_ = record.line;
    if (within && !is_long) marked_.emplace_back(number, site_at(record, record.region));
    if (thick && !within && !is_long && record.columns <= kWithColours && outside_++ == 0) line_ = record.line;
    return site_at(record, within && !is_long ? *thick : record.region);
  }
  /// After all records: the 5' ends of the records themselves, if thick parts are coding.
  void settle(std::vector<StartSite>& sites) {
    if (coding_ == 0) return;
    for (auto& [number, site] : marked_) sites[number] = std::move(site);
  }
  void report(const std::string& path) const {
    const auto of_all = [&](int64_t some) { return concat(some, " of ", counted(records_, "start site")); };
    const auto taken = std::ssize(marked_);
    if (taken && coding_)
      log::info(path, ":", coding_line_,
                ": the thick part (columns 7 and 8) of a long record is its coding sequence, so ",
                "start sites are the 5' ends of the records");
    else if (taken)
      log::info(path, ": ", of_all(taken), taken == 1 ? " is the 5' end" : " are the 5' ends",
                " of the thick part (columns 7 and 8), as in EPDnew's and FANTOM5's files");
    if (outside_)
      log::warn(path, ":", line_, ": ", of_all(outside_), outside_ == 1 ? " has" : " have",
                " a thick part (columns 7 and 8) outside of the record, as a lift-over leaves it, and ",
                outside_ == 1 ? "is" : "are", " read from the record's own 5' end");
  }

 private:
  int64_t records_ = 0, outside_ = 0, line_ = 0, coding_ = 0, coding_line_ = 0;
  std::vector<std::pair<size_t, StartSite>> marked_;  // the records' own 5' ends, where the thick part marks another
};

std::vector<StartSite> sites_of_bed(io::LineReader lines, std::string first) {
  std::vector<StartSite> sites;
  genome::MissingStrands strands;
  ThickParts thick;
  genome::BedReader bed(std::move(lines), std::move(first));
  while (auto record = bed.next()) {
    const auto& region = record->region;
    if (region.length() < 1)
      fail(bed.path(), ":", record->line, ": ", genome::kEmptyInterval, ", and a start site needs a base");
    if (region.strand == '.' && region.length() != 1)
      fail(bed.path(), ":", record->line, ": a record of ", region.length(),
           " bp without a strand (column 6) does not define a start site");
    strands.add(*record, /*decides=*/true);
    sites.push_back(thick.site_of(*record));
  }
  thick.settle(sites);
  strands.warn(bed.path(), "start site");
  thick.report(bed.path());
  return sites;
}
}  // namespace

std::optional<std::string> contig_of_site(const genome::Genome& genome, const StartSite& site,
                                          const std::string& path) {
  if (auto found = genome.resolve(site.contig)) return found;
  auto found = genome.resolve(genome::chromosome_of_accession(site.contig));
  if (found)
    if (const auto other = genome::other_assembly(site.contig, genome.length(*found), "the genome's"))
      fail(path, ":", site.line, ": ", *other, "; bigdna liftover moves positions from one to the other");
  return found;
}

namespace {
/// Adds a row of GTF or GFF3 to what the annotation covers.
void annotate(AnnotatedBases& annotated, const genome::GffRecord& record) {
  if (record.is_transcript()) annotated.transcripts.add(record.region);
  if (record.is_exon() || record.type == "CDS" || record.type.ends_with("UTR") || record.type.ends_with("utr"))
    annotated.exons.add(record.region);
}

/// The same bases, on the genome's contigs.
genome::IntervalSet in_genome(const genome::IntervalSet& set, const genome::Genome& genome, const std::string& path) {
  genome::IntervalSet found;
  for (const auto& [name, intervals] : set.contigs())
    if (const auto contig = contig_of_site(genome, {.contig = name, .name = {}}, path))
      for (const auto& [start, end] : intervals) found.add(*contig, start, end);
  return found;
}
}  // namespace

std::vector<StartSite> read_start_sites(const std::string& path, AnnotatedBases* annotated) {
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
  genome::Transcripts transcripts;
  for (; line; line = lines.next()) {
    if (genome::is_bed_comment(*line)) continue;
    if (format == Format::fps && !line->starts_with("FP")) continue;  // EPD's other line types: ID, AC, XX, //
    if (format == Format::gff && line->starts_with('>')) break;       // GFF3 may end with sequences
    place([&] {
      const auto found = format_of(*line);
      if (found != format && found != Format::bed)
        fail("is ", kFormatNames[static_cast<int>(found)], ", but the lines before are ",
             kFormatNames[static_cast<int>(format)]);
      if (format == Format::gff) {
        const auto record = genome::gff_record(*line);
        if (annotated) annotate(*annotated, record);
        return transcripts.add(record, lines.line());
      }
      sites.push_back(format == Format::table ? site_of_table(*line)
                      : format == Format::sga ? site_of_sga(*line)
                                              : site_of_fps(*line));
      sites.back().line = lines.line();
    });
  }
  if (format == Format::gff) {
    for (auto& start : transcripts.starts())
      sites.push_back({std::move(start.contig), start.position, start.strand, std::move(start.name), start.line});
    if (annotated)
      for (const auto& transcript : transcripts.read_from_exons()) annotated->transcripts.add(transcript);
    if (sites.empty())
      fail(lines.path(), ": has no transcripts (rows of type transcript, mRNA, lnc_RNA ..., or exons)",
           transcripts.strandless() ? " with a strand (column 7)" : "");
    transcripts.report(lines.path(), annotated != nullptr);
  }
  return sites;
}

std::vector<StartSite> start_sites_in(const genome::Genome& genome, const std::string& path,
                                      AnnotatedBases* annotated) {
  std::vector<StartSite> sites;
  int64_t read = 0;
  for (auto& site : read_start_sites(path, annotated)) {
    ++read;
    const auto contig = contig_of_site(genome, site, path);
    if (!contig || site.position >= genome.length(*contig)) continue;
    site.contig = *contig;
    sites.push_back(std::move(site));
  }
  const int64_t elsewhere = read - std::ssize(sites);
  if (sites.empty())
    fail(path, ": none of its ", counted(read, "start site"), " is in ", genome.path(),
         ": are its contigs called otherwise, or is it of another assembly?");
  const std::string said = concat(path, ": ", elsewhere, " of ", counted(read, "start site"),
                                  elsewhere == 1 ? " is" : " are", " not in ", genome.path());
  if (2 * elsewhere > read)
    log::warn(said);
  else if (elsewhere)
    log::info(said);
  if (annotated)
    *annotated = {in_genome(annotated->transcripts, genome, path), in_genome(annotated->exons, genome, path)};
  return sites;
}

genome::Region promoter_interval(const StartSite& site, int64_t upstream, int64_t downstream) {
  const int64_t t = site.position;
  if (site.strand == '-') return {site.contig, t - downstream + 1, t + upstream + 1, '-'};
  return {site.contig, t - upstream, t + downstream, '+'};
}

}  // namespace bigdna::dataset
