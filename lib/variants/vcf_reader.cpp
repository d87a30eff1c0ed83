#include "variants/vcf_reader.h"

#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <htslib/hts.h>
#include <htslib/hts_log.h>
#include <htslib/kseq.h>
#include <htslib/kstring.h>
#include <htslib/tbx.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "io/bgzf.h"
#include "io/lines.h"
#include "variants/hts_file.h"
#include "variants/index_check.h"
#include "variants/vcf_text.h"

namespace bigdna::variants {

namespace {
struct FreeTabix {
  void operator()(tbx_t* index) const { tbx_destroy(index); }
};
struct FreeIndex {
  void operator()(hts_idx_t* index) const { hts_idx_destroy(index); }
};
struct FreeIterator {
  void operator()(hts_itr_t* iterator) const { hts_itr_destroy(iterator); }
};
std::shared_ptr<bcf1_t> new_record() { return {bcf_init(), bcf_destroy}; }

struct Place {
  int id = 0;  // of the contig, by the index
  int64_t start = 0, end = 0;
  auto operator<=>(const Place&) const = default;
};
}  // namespace

struct VcfReader::State {
  std::string path;
  HtsFile file;  // of BCF, or of VCF with regions
  VcfHeader header;
  bool bgzipped = false;
  std::optional<io::LineReader> reader;  // of VCF
  std::string_view line;
  int64_t lines = 0;
  bool few_columns_said = false;
  std::shared_ptr<bcf1_t> record = new_record();
  // with regions
  HtsText found;
  std::unique_ptr<tbx_t, FreeTabix> tabix;
  std::unique_ptr<hts_idx_t, FreeIndex> index;
  std::optional<std::vector<Place>> places;
  size_t place = 0;  // the next to begin
  std::unique_ptr<hts_itr_t, FreeIterator> iterator;
  int64_t passed = 0;  // records that begin before it were handed out with an earlier place of the contig

  [[noreturn]] void fail_truncated() const { fail(path, ": truncated or damaged"); }

  void open(const std::string& from) {
    hts_set_log_level(HTS_LOG_OFF);  // bigdna reports every failure itself
    path = from == "-" ? "stdin" : from;
    auto input = io::open_input(from);
    htsFormat format{};
    errno = 0;
    if (hts_detect_format2(input.get(), from.c_str(), &format) < 0)
      fail(path, ": ", errno ? errno_text(errno) : "cannot be read");
    bgzipped = format.compression == bgzf;
    header.bcf = format.format == bcf;
    if (format.format == empty_format) fail(path, ": is empty (a VCF header was expected)");
    if (format.category != variant_data && format.format != text_format && format.format != unknown_format)
      fail(path, ": is not VCF or BCF");
    if (!header.bcf) {
      reader.emplace(std::move(input), from);
      return;
    }
    if (!bgzipped && format.compression != no_compression)
      fail(path, ": is BCF within plain gzip or xz: decompress it");
    file.reset(hts_hopen(input.get(), from.c_str(), "r"));
    if (!file) fail(path, ": ", errno ? errno_text(errno) : "cannot be read");
    (void)input.release();  // `file` closes it
    if (bgzipped && bgzf_check_EOF(file->fp.bgzf) == 0) fail(path, ": truncated: the BGZF end marker is missing");
  }

  bool read_line() {
    const auto next = reader->next();
    line = next.value_or("");
    lines = reader->line();
    return next.has_value();
  }

  void read_header() {
    if (header.bcf) {
      header.parsed.reset(bcf_hdr_read(file.get()), bcf_hdr_destroy);
      if (!header.parsed) fail(path, ": its BCF header is damaged");
      HtsText text;
      if (bcf_hdr_format(header.parsed.get(), 0, &text) < 0) fail(path, ": its BCF header is damaged");
      const auto all = text.view();
      const size_t at = all.find("#CHROM");
      header.meta = all.substr(0, at);
      header.columns = all.substr(std::min(at, all.size()));
      while (!header.columns.empty() && (header.columns.back() == '\n' || header.columns.back() == '\0'))
        header.columns.pop_back();
      header.samples = bcf_hdr_nsamples(header.parsed.get());
      return;
    }
    std::string tolerated;  // the first faulty line on which nothing depends
    int64_t more = 0;
    while (true) {
      if (!read_line()) fail(path, ": ends before the line of column names (#CHROM ...)");
      const bool columns = line.starts_with("#CHROM");
      const bool meta = line.starts_with("##");
      const auto fault = lines == 1 ? fault_of_first_line(line)
                         : columns  ? fault_of_column_line(line, header.samples)
                         : meta     ? fault_of_meta_line(line)
                                    : "is not a line of a VCF header (the line #CHROM ... is missing)";
      if (!fault.empty() && (lines == 1 || !meta)) fail(path, ":", lines, ": ", fault);
      if (!fault.empty() && tolerated.empty())
        tolerated = concat(path, ":", lines, ": ", fault);
      else
        more += !fault.empty();
      if (columns) break;
      header.meta.append(line).push_back('\n');
    }
    header.fault = tolerated;
    if (more > 0) header.fault += concat("; ", counted(more, "more line is", "more lines are"), " faulty");
    header.columns = line;
    header.parsed.reset(bcf_hdr_init("r"), bcf_hdr_destroy);
    std::string whole = header.meta + header.columns + "\n";
    if (bcf_hdr_parse(header.parsed.get(), whole.data()) < 0) fail(path, ": its header cannot be read");
  }

  /// What lookup(NAME) gives for one of the contig's spellings; -1 where neither is known.
  static int id_of(const std::string& contig, const auto& lookup) {
    const int id = lookup(contig);
    return id >= 0 ? id : lookup(genome::other_spelling(contig));
  }
  int in_header(const std::string& contig) const {
    return id_of(contig, [&](const std::string& name) { return bcf_hdr_name2id(header.parsed.get(), name.c_str()); });
  }
  /// The contig's number in the index; -1 where it has none.
  int number_of(const std::string& contig) const {
    return tabix ? id_of(contig, [&](const std::string& name) { return tbx_name2id(tabix.get(), name.c_str()); })
                 : in_header(contig);
  }

  void set_regions(const std::string& from, const std::vector<genome::Region>& regions) {
    if (!header.bcf && !bgzipped)
      fail(path, ": has no index, which -r and -R need (bcftools index ", path, ", once it is compressed by bgzip)");
    std::string at = from + ".csi";
    if (!io::is_current(at, from) && std::filesystem::exists(from + ".tbi")) at = from + ".tbi";
    if (!std::filesystem::exists(at)) fail(path, ": has no index, which -r and -R need (bcftools index ", path, ")");
    if (!io::is_current(at, from))  // records that lie elsewhere now would be missing
      fail(at, ": is older than ", path, ": bcftools index -f ", path, " makes a new one");
    io::require_bgzf(from);
    if (const auto fault = fault_of_index(at, from); !fault.empty()) fail(at, ": ", fault);
    errno = 0;
    if (header.bcf)
      index.reset(bcf_index_load3(from.c_str(), at.c_str(), 0));
    else
      tabix.reset(tbx_index_load3(from.c_str(), at.c_str(), 0));
    if (!index && !tabix) fail(at, ": ", why_not_opened("cannot be read as the index of " + path));
    if (tabix) file.reset(hts_open(from.c_str(), "r"));
    if (!file) fail(path, ": ", why_not_opened("cannot be read"));
    places.emplace();
    std::set<std::string> known, unknown;  // contigs
    for (const auto& region : regions) {
      const int id = number_of(region.contig);
      (id >= 0 || in_header(region.contig) >= 0 ? known : unknown).insert(region.contig);
      if (id >= 0 && region.start < region.end) places->push_back({id, region.start, region.end});
    }
    if (!unknown.empty()) {
      const std::string cause = concat(path, ": has no contig ", *unknown.begin(),
                                       unknown.size() > 1 ? concat(" and ", unknown.size() - 1, " more") : "");
      if (known.empty()) fail(cause, ", so no region has variants");
      log::warn(cause, "; regions there have no variants");
    }
    std::sort(places->begin(), places->end());
  }

  bool begin_place() {
    if (place == places->size()) return false;
    const Place& next = (*places)[place];
    const bool same_contig = place > 0 && (*places)[place - 1].id == next.id;
    passed = same_contig ? std::max(passed, (*places)[place - 1].end) : 0;
    ++place;
    iterator.reset(tabix ? tbx_itr_queryi(tabix.get(), next.id, next.start, next.end)
                         : bcf_itr_queryi(index.get(), next.id, next.start, next.end));
    if (!iterator) fail(path, ": its index cannot be read");
    return true;
  }

  /// The next record's line or BCF record; false at the end.
  bool advance() {
    if (!places) {
      if (!header.bcf) return read_line();
      const int result = bcf_read(file.get(), header.parsed.get(), record.get());
      if (result == -1 && bgzipped && file->fp.bgzf->no_eof_block)
        fail(path, ": truncated: the BGZF end marker is missing");
      if (result < -1) fail_truncated();
      ++lines;
      return result == 0;
    }
    while (iterator || begin_place()) {
      const int result = tabix ? tbx_itr_next(file.get(), tabix.get(), iterator.get(), &found)
                               : bcf_itr_next(file.get(), iterator.get(), record.get());
      if (result < -1) fail_truncated();
      if (result < 0) {
        iterator.reset();
        continue;
      }
      line = found.view();
      if (line.ends_with('\r')) line.remove_suffix(1);
      const int64_t start = tabix ? iterator->curr_beg : record->pos;
      if (start >= passed) return true;
    }
    return false;
  }

  VcfRecord record_of_line() {
    VcfRecord result;
    result.line = line;
    const auto columns = columns_of(result.line);
    const auto place_text = [&] {
      return places ? concat(path, ": ", columns.contig, ":", columns.position) : concat(path, ":", lines);
    };
    if (columns.count < 5)
      fail(place_text(), ": ", columns.count,
           " tab-separated columns; a VCF record has at least 8 (CHROM POS ID REF ALT QUAL FILTER INFO)");
    if (const int64_t expected = 9 + header.samples; header.samples ? columns.count != expected : columns.count > 9)
      fail(place_text(), ": ", columns.count, " columns, but the header has ", header.samples ? expected : 8);
    if (columns.count < 8 && !std::exchange(few_columns_said, true))
      log::warn(place_text(), ": fewer than 8 columns; missing ones are taken as .");
    const char* end = columns.position.data() + columns.position.size();
    if (const auto [stop, error] = std::from_chars(columns.position.data(), end, result.position);
        stop != end || columns.position.starts_with('-') || error == std::errc::invalid_argument)
      fail(place_text(), ": the position '", columns.position, "' is not a number of at least 0");
    else if (error != std::errc() || result.position > genome::kMostPosition)
      fail(place_text(), ": the position ", columns.position, " is beyond the end of any contig");
    --result.position;
    result.contig = columns.contig;
    if (result.contig.size() > 2 && result.contig.front() == '<' && result.contig.back() == '>')
      result.contig = result.contig.substr(1, result.contig.size() - 2);
    result.id = columns.id;
    result.ref = columns.ref;
    if (columns.alt != ".")
      for (const auto alt : io::split(columns.alt, ',')) result.alts.emplace_back(alt);
    result.faults = faults_of_record(columns);
    result.where = place_text();
    return result;
  }

  VcfRecord record_of_bcf() {
    VcfRecord result;
    result.bcf = record;
    record = new_record();
    bcf1_t& bcf = *result.bcf;
    if (bcf_unpack(&bcf, BCF_UN_STR) < 0) fail(path, ": record ", lines, " is damaged");
    const char* contig = bcf_hdr_id2name(header.parsed.get(), bcf.rid);
    if (!contig) fail(path, ": record ", lines, " is on a contig that the header lacks");
    result.contig = contig;
    result.position = bcf.pos;
    result.id = bcf.d.id;
    if (bcf.n_allele > 0) result.ref = bcf.d.allele[0];
    for (int i = 1; i < bcf.n_allele; ++i) result.alts.emplace_back(bcf.d.allele[i]);
    if (result.alts.size() == 1 && result.alts[0] == ".") result.alts.clear();
    result.where = concat(path, ": ", result.contig, ":", result.position + 1);
    if (result.ref.empty()) result.faults.malformed = {"REF is missing", ""};
    return result;
  }
};

VcfReader::VcfReader(const std::string& path, std::optional<std::vector<genome::Region>> regions)
    : state_(std::make_unique<State>()) {
  if (regions && path == "-") fail("stdin has no index; -r and -R need a file");
  state_->open(path);
  state_->read_header();
  if (regions) state_->set_regions(path, *regions);
}
VcfReader::~VcfReader() = default;
VcfReader::VcfReader(VcfReader&&) noexcept = default;
const std::string& VcfReader::path() const { return state_->path; }
const VcfHeader& VcfReader::header() const { return state_->header; }

std::optional<VcfRecord> VcfReader::next() {
  State& s = *state_;
  while (s.advance()) {
    if (s.header.bcf) return s.record_of_bcf();
    if (s.line.empty()) continue;  // an empty line
    return s.record_of_line();
  }
  return std::nullopt;
}

int64_t VcfReader::skip(int64_t records) {
  State& s = *state_;
  int64_t passed = 0;
  while (passed < records && s.advance()) passed += s.header.bcf || !s.line.empty();
  return passed;
}

std::vector<genome::Contig> VcfReader::contigs() const {
  const bcf_hdr_t* header = state_->header.parsed.get();
  std::vector<genome::Contig> contigs;
  for (int id = 0; id < header->n[BCF_DT_CTG]; ++id)
    if (const char* name = bcf_hdr_id2name(header, id))
      if (const int64_t bases = length(name)) contigs.push_back({name, bases});
  return contigs;
}

int64_t VcfReader::length(const std::string& contig) const {
  const bcf_hdr_t* header = state_->header.parsed.get();
  const int id = bcf_hdr_name2id(header, contig.c_str());
  return id < 0 ? 0 : static_cast<int64_t>(header->id[BCF_DT_CTG][id].val->info[0]);
}

}  // namespace bigdna::variants
