#include "variants/bcf_record.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <new>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/number.h"
#include "io/lines.h"
#include "variants/hts_file.h"

namespace bigdna::variants {
namespace {

constexpr size_t kQualityColumn = 5, kInfoColumn = 7, kFormatColumn = 8;

/// Checks that htslib's BCF keeps numbers: it drops what follows a number, and writes . or inf for those out of range.
/// Floats that become 0 are a warning, once.
class NumberCheck {
 public:
  NumberCheck(const bcf_hdr_t* header, const VcfRecord& record) : header_(header), record_(record) {}
  void quality(std::string_view text) const { check("QUAL", "", BCF_HT_REAL, text); }
  void info(std::string_view text) const {
    for (const auto part : io::split(text, ';'))
      if (const size_t equal = part.find('='); equal != std::string_view::npos)
        check("INFO/", part.substr(0, equal), type_of(BCF_HL_INFO, part.substr(0, equal)), part.substr(equal + 1));
  }
  void samples(const std::vector<std::string_view>& columns) const {
    const auto keys = io::split(columns[kFormatColumn], ':');
    std::vector<int> types;
    for (const auto key : keys) types.push_back(type_of(BCF_HL_FMT, key));
    for (size_t column = kFormatColumn + 1; column < columns.size(); ++column) {
      const auto values = io::split(columns[column], ':');
      for (size_t i = 0; i < std::min(keys.size(), values.size()); ++i) check("FORMAT/", keys[i], types[i], values[i]);
    }
  }

 private:
  /// The Type that the header declares; BCF_HT_STR where it declares none.
  int type_of(int line, std::string_view key) const {
    const int id = bcf_hdr_id2int(header_, BCF_DT_ID, std::string(key).c_str());
    return id >= 0 && bcf_hdr_idinfo_exists(header_, line, id) ? static_cast<int>(bcf_hdr_id2type(header_, line, id))
                                                               : BCF_HT_STR;
  }
  void check(std::string_view kind, std::string_view key, int type, std::string_view values) const {
    if (type != BCF_HT_INT && type != BCF_HT_REAL) return;
    for (const auto value : io::split(values, ',')) {
      if (value.empty() || value == ".") continue;
      if (!(type == BCF_HT_INT ? is_integer(value) : is_float(kind, key, value)))
        fail(record_.where, ": ", kind, key, " is ", value, ", which is not a",
             type == BCF_HT_INT ? "n integer of 32 bits" : " number within the range of Float",
             ", so BCF cannot hold it; write VCF instead");
    }
  }
  static std::string_view without_plus(std::string_view text) { return text.starts_with('+') ? text.substr(1) : text; }
  static bool is_integer(std::string_view text) {
    const auto value = parse_number<int64_t>(without_plus(text));
    return value && *value >= BCF_MIN_BT_INT32 && *value <= BCF_MAX_BT_INT32;
  }
  /// Warns, once, of a number that becomes 0.
  bool is_float(std::string_view kind, std::string_view key, std::string_view text) const {
    const auto value = parse_number<double>(without_plus(text));
    if (!value) return false;
    const auto kept = static_cast<float>(*value);
    static std::once_flag said;
    if (kept == 0 && *value != 0)
      std::call_once(said, [&] {
        log::warn(record_.where, ": ", kind, key, " is ", text, ", which BCF holds as 0, as other numbers near 0");
      });
    return std::isinf(kept) == std::isinf(*value);
  }

  const bcf_hdr_t* header_;
  const VcfRecord& record_;
};

}  // namespace

std::string text_of(const VcfHeader& header, const VcfRecord& record) {
  if (!record.bcf) return record.line;
  HtsText text;
  if (vcf_format(header.parsed.get(), record.bcf.get(), &text) < 0) fail(record.where, ": is damaged");
  auto line = text.view();
  while (line.ends_with('\n')) line.remove_suffix(1);
  return std::string(line);
}

std::shared_ptr<bcf1_t> bcf_of(const bcf_hdr_t* header, const VcfRecord& record) {
  if (record.bcf) return record.bcf;
  if (record.position > std::numeric_limits<int32_t>::max() - 1)
    fail(record.where, ": POS ", record.position + 1, " is beyond 2^31 - 1, so BCF cannot hold it; write VCF instead");
  const auto fields = io::split(record.line);
  if (fields.size() > kFormatColumn && std::ranges::count(io::split(fields[kFormatColumn], ':'), "GT") > 1)
    fail(record.where, ": FORMAT has GT twice, and htslib would write wrong genotypes into BCF; write VCF instead");
  std::shared_ptr<bcf1_t> result(bcf_init(), bcf_destroy);
  HtsText text;
  if (kputsn(record.line.data(), record.line.size(), &text) < 0) throw std::bad_alloc();
  const int status = vcf_parse(&text, header, result.get());
  if (result->errcode & (BCF_ERR_CTG_UNDEF | BCF_ERR_TAG_UNDEF))
    fail(record.where, ": names a ", result->errcode & BCF_ERR_CTG_UNDEF ? "contig" : "filter or a key",
         " that the header does not declare, so BCF cannot hold it; write VCF instead");
  const NumberCheck check(header, record);
  if (fields.size() > kQualityColumn) check.quality(fields[kQualityColumn]);
  if (fields.size() > kInfoColumn) check.info(fields[kInfoColumn]);
  if (fields.size() > kFormatColumn) check.samples(fields);
  if (status < 0 || result->errcode) fail(record.where, ": cannot be written as BCF (htslib cannot read all of it)");
  return result;
}

}  // namespace bigdna::variants
