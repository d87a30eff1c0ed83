#include "variants/vcf_writer.h"

#include <htslib/vcf.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "io/lines.h"
#include "io/output.h"
#include "variants/bcf_file.h"
#include "variants/bcf_record.h"
#include "variants/info_lines.h"
#include "variants/vcf_text.h"

namespace bigdna::variants {

namespace {
/// The shortest text that reads back as the same float; "." for NaN.
void append_number(std::string& text, float value) {
  if (std::isnan(value)) {
    text += '.';
    return;
  }
  char number[32];
  text.append(number, std::to_chars(number, number + sizeof number, value).ptr);
}

/// A key that is added to a record, with its values as text, and as numbers for BCF.
struct Annotation {
  std::string key;
  std::vector<float> values;         // of numbers
  std::vector<std::string> reasons;  // of kSkipped
  std::string text() const {
    std::string result = key + "=";
    for (size_t i = 0; i < std::max(values.size(), reasons.size()); ++i) {
      if (i) result += ',';
      if (values.empty())
        result += reasons[i];
      else
        append_number(result, values[i]);
    }
    return result;
  }
};

/// What VCF and BCF have in common: the header's new lines, and which values a record gets.
class Annotator {
 public:
  Annotator(const WriterOptions& options, const VcfHeader& header)
      : options_(options), tracks_(info_lines_of_tracks(options.tracks)) {
    own_ = provenance_lines(options.provenance, "variants");
    std::string models;
    for (const auto& [key, value] : options.provenance.entries())
      if (key == "model") models += (models.empty() ? "" : ", ") + value;
    take_over(header.meta, models);
    for (const auto& column : options.columns) {
      own_.push_back(to_line(info_line_of(column, /*percentile=*/false, models)));
      if (is_ranked(column)) own_.push_back(to_line(info_line_of(column, /*percentile=*/true, models)));
    }
    own_.push_back(to_line(info_line_of_skipped(models)));
    own_.push_back(to_line(info_line_of_seen(models)));
    for (const auto& line : tracks_) own_.push_back(to_line(line));
    for (const auto& line : own_) meta_.append(line).push_back('\n');
  }
  /// The header's meta lines, with bigdna's new lines instead of those from an earlier run.
  const std::string& meta() const { return meta_; }
  /// bigdna's new lines.
  const std::vector<std::string>& own_lines() const { return own_; }
  /// Whether the column has a key of percentiles, too.
  bool is_ranked(const EffectColumn& column) const { return options_.percentiles && has_percentile(column.effect); }
  bool is_own(std::string_view key) const {
    return key == kSkipped || key == kSeen || is_track(key) ||
           std::any_of(options_.columns.begin(), options_.columns.end(),
                       [&](const EffectColumn& column) { return key == column.info || key == column.percentile_info; });
  }

  /// The keys of --track.
  const std::vector<InfoLine>& tracks() const { return tracks_; }

  std::vector<Annotation> annotate(std::span<const ScoredAllele> alleles) const {
    std::vector<Annotation> result;
    const auto scored = [](const ScoredAllele& each) { return each.allele.skip == Skip::none; };
    if (std::any_of(alleles.begin(), alleles.end(), scored)) {
      std::vector<std::vector<bool>> listed;
      for (const auto& each : alleles)
        listed.push_back(scored(each) ? listed_of(each) : std::vector<bool>(options_.columns.size(), false));
      for (size_t column = 0; column < options_.columns.size(); ++column) {
        Annotation effects{options_.columns[column].info, {}, {}};
        Annotation percentiles{options_.columns[column].percentile_info, {}, {}};
        bool any = false;
        for (size_t i = 0; i < alleles.size(); ++i) {
          any |= listed[i][column];
          effects.values.push_back(listed[i][column] ? alleles[i].effects[column] : NAN);
          if (is_ranked(options_.columns[column]))
            percentiles.values.push_back(listed[i][column] ? alleles[i].percentiles[column] : NAN);
        }
        if (!any) continue;
        result.push_back(std::move(effects));
        if (is_ranked(options_.columns[column])) result.push_back(std::move(percentiles));
      }
    }
    if (std::any_of(alleles.begin(), alleles.end(), [](const ScoredAllele& each) { return each.seen.has_value(); })) {
      Annotation seen{kSeen, {}, {}};
      for (const auto& each : alleles) seen.values.push_back(each.seen ? static_cast<float>(*each.seen) : NAN);
      result.push_back(std::move(seen));
    }
    for (size_t i = 0; i < tracks_.size() && !alleles.empty(); ++i)
      result.push_back({tracks_[i].key, {alleles.front().tracks[i]}, {}});
    if (!std::all_of(alleles.begin(), alleles.end(), scored)) {
      Annotation skipped{kSkipped, {}, {}};
      for (const auto& each : alleles) skipped.reasons.emplace_back(scored(each) ? "." : skip_name(each.allele.skip));
      result.push_back(std::move(skipped));
    }
    return result;
  }

 private:
  bool is_track(std::string_view key) const {
    return std::ranges::any_of(tracks_, [&](const InfoLine& line) { return line.key == key; });
  }
  /// The lines of the input but those of keys that this run writes: of another model, with a warning.
  void take_over(const std::string& meta, const std::string& models) {
    constexpr std::string_view kId = "##INFO=<ID=";
    std::string key, model;  // the first that another model wrote
    int64_t others = 0;
    for (const auto& line : io::split(meta, '\n')) {
      if (line.empty()) continue;
      const auto id = line.starts_with(kId) ? line.substr(kId.size(), line.find(',') - kId.size()) : "";
      if (id.empty() || !is_own(id)) {
        meta_.append(line).push_back('\n');
        continue;
      }
      const auto info = read_info_line(line);
      const auto earlier = info ? models_of(*info) : "";
      if (id == kSkipped || id == kSeen || is_track(id) || earlier == models) continue;
      if (others++ == 0) key = id, model = earlier;
    }
    if (others > 0)
      log::warn("the input has ", counted(others, "INFO key"), " (as ", key, ") that ",
                model.empty() ? "an unnamed model" : model, " gave; the numbers of ", models, " replace them");
  }
  /// Which columns are written: with --top those of the features whose first effect is largest, and those of no
  /// feature.
  std::vector<bool> listed_of(const ScoredAllele& allele) const {
    const auto& columns = options_.columns;
    std::vector<bool> listed(columns.size(), true);
    const auto top = static_cast<size_t>(options_.top);
    const auto first =
        std::find_if(columns.begin(), columns.end(), [](const EffectColumn& column) { return column.feature >= 0; });
    if (top == 0 || first == columns.end()) return listed;
    std::vector<size_t> order;
    for (auto i = static_cast<size_t>(first - columns.begin());
         i < columns.size() && columns[i].effect == first->effect; ++i)
      order.push_back(i);
    if (order.size() <= top) return listed;
    const auto larger = [&](size_t a, size_t b) { return std::abs(allele.effects[a]) > std::abs(allele.effects[b]); };
    std::stable_sort(order.begin(), order.end(), larger);
    std::set<int64_t> features;
    for (size_t i = 0; i < top; ++i) features.insert(columns[order[i]].feature);
    for (size_t i = 0; i < columns.size(); ++i)
      listed[i] = columns[i].feature < 0 || features.contains(columns[i].feature);
    return listed;
  }

  const WriterOptions& options_;
  std::vector<InfoLine> tracks_;
  std::vector<std::string> own_;
  std::string meta_;
};

class VcfTextWriter : public VariantWriter {
 public:
  VcfTextWriter(const WriterOptions& options, const VcfHeader& header)
      : options_(options), header_(header), annotator_(options_, header), out_(options.path, options.threads) {
    if (options.header) out_ << annotator_.meta() + header.columns + "\n";
  }

  void write(const VcfRecord& record, std::span<const ScoredAllele> alleles) override {
    line_ = text_of(header_, record);
    const auto columns = columns_of(line_);
    const std::string_view line = line_;
    std::string info;
    const auto add = [&](std::string_view part) {
      if (!info.empty()) info += ';';
      info += part;
    };
    if (columns.count >= 8 && columns.info != ".") {
      for (const auto part : io::split(columns.info, ';'))
        if (!part.empty() && !annotator_.is_own(part.substr(0, part.find('=')))) add(part);
    }
    for (const auto& annotation : annotator_.annotate(alleles)) add(annotation.text());
    out_ << line.substr(0, columns.info_begin);
    for (int64_t missing = columns.count; missing < 7; ++missing) out_ << "\t.";
    if (columns.count < 8) out_ << "\t";
    out_ << (info.empty() ? "." : std::string_view(info));
    out_ << line.substr(columns.info_end);
    out_ << "\n";
  }

  void commit() override {
    out_.commit();
    remove_indexes(options_.path);
    if (options_.index) write_index(options_.path, options_.threads);
  }

 private:
  WriterOptions options_;
  const VcfHeader& header_;
  Annotator annotator_;
  io::Output out_;
  std::string line_;
};

/// The input's header with the lines of the annotations.
BcfFile::Header header_with(const Annotator& annotator, const VcfHeader& given, const std::string& path) {
  BcfFile::Header header(bcf_hdr_dup(given.parsed.get()), bcf_hdr_destroy);
  for (const auto& line : annotator.own_lines()) {
    if (line.starts_with("##INFO=<ID="))
      bcf_hdr_remove(header.get(), BCF_HL_INFO, line.substr(11, line.find(',') - 11).c_str());
    if (bcf_hdr_append(header.get(), line.c_str()) < 0) fail(path, ": its header cannot be created");
  }
  if (bcf_hdr_sync(header.get()) < 0) fail(path, ": its header cannot be created");
  return header;
}

class BcfWriter : public VariantWriter {
 public:
  BcfWriter(const WriterOptions& options, const VcfHeader& header)
      : options_(options),
        annotator_(options_, header),
        file_(options.path, header_with(annotator_, header, options.path), options.threads) {}

  void write(const VcfRecord& record, std::span<const ScoredAllele> alleles) override {
    const auto bcf = bcf_of(file_.header(), record);
    for (const auto& column : options_.columns) {  // of an earlier run
      bcf_update_info_float(file_.header(), bcf.get(), column.info.c_str(), nullptr, 0);
      if (!column.percentile_info.empty())
        bcf_update_info_float(file_.header(), bcf.get(), column.percentile_info.c_str(), nullptr, 0);
    }
    for (const auto& track : annotator_.tracks())
      bcf_update_info_float(file_.header(), bcf.get(), track.key.c_str(), nullptr, 0);
    bcf_update_info_string(file_.header(), bcf.get(), kSkipped, nullptr);
    bcf_update_info_int32(file_.header(), bcf.get(), kSeen, nullptr, 0);
    for (auto& annotation : annotator_.annotate(alleles)) {
      if (!annotation.reasons.empty()) {
        const auto text = annotation.text();
        file_.check(bcf_update_info_string(file_.header(), bcf.get(), kSkipped, text.c_str() + text.find('=') + 1));
        continue;
      }
      if (annotation.key == kSeen) {
        std::vector<int32_t> flags;
        for (const float value : annotation.values)
          flags.push_back(std::isnan(value) ? bcf_int32_missing : static_cast<int32_t>(value));
        file_.check(
            bcf_update_info_int32(file_.header(), bcf.get(), kSeen, flags.data(), static_cast<int>(flags.size())));
        continue;
      }
      for (float& value : annotation.values)
        if (std::isnan(value)) bcf_float_set_missing(value);
      file_.check(bcf_update_info_float(file_.header(), bcf.get(), annotation.key.c_str(), annotation.values.data(),
                                        static_cast<int>(annotation.values.size())));
    }
    file_.write(bcf.get());
  }

  void commit() override {
    file_.commit();
    remove_indexes(options_.path);
    if (options_.index) write_index(options_.path, options_.threads);
  }

 private:
  WriterOptions options_;
  Annotator annotator_;
  BcfFile file_;
};
}  // namespace

namespace {
/// Why htslib cannot index the records of a file.
std::string obstacle_to_index(const std::string& path) {
  VcfReader reader(path);
  std::set<std::string> finished;
  std::string contig;
  int64_t last = 0, farthest = 0;
  while (const auto record = reader.next()) {
    if (record->contig != contig) {
      finished.insert(std::exchange(contig, record->contig));
      last = 0;
    }
    if (record->position < last || finished.contains(contig))
      return concat("its records are not sorted: ", contig, ":", record->position + 1, " comes after ",
                    finished.contains(contig) ? concat("other contigs") : concat(contig, ":", last + 1),
                    " (bcftools sort sorts them)");
    last = record->position;
    farthest = std::max(farthest, last + static_cast<int64_t>(record->ref.size()));
  }
  if (farthest > std::numeric_limits<int32_t>::max())
    return concat("a record ends at ", farthest, ", beyond 2^31 - 1, the last position of VCF");
  return "htslib cannot make one";
}
}  // namespace

void remove_indexes(const std::string& path) {
  std::error_code ignored;
  for (const char* suffix : {".csi", ".tbi"})
    if (!io::is_written_directly(path)) std::filesystem::remove(path + suffix, ignored);
}

void write_index(const std::string& path, int threads) {
  io::AtomicFile target(path + ".csi");
  constexpr int kMinShift = 14;  // as bcftools index
  const int status = bcf_index_build3(path.c_str(), target.temporary().c_str(), kMinShift, threads);
  if (status != 0) fail(path, ": was written, but without an index: ", obstacle_to_index(path));
  target.commit();
}

std::unique_ptr<VariantWriter> make_vcf_writer(const WriterOptions& options, const VcfHeader& header) {
  if (options.format == io::Format::bcf) return std::make_unique<BcfWriter>(options, header);
  return std::make_unique<VcfTextWriter>(options, header);
}

}  // namespace bigdna::variants
