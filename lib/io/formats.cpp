#include "io/formats.h"

#include <algorithm>
#include <cctype>

#include "base/error.h"
#include "io/output.h"
#include "io/row_writer.h"
#include "io/row_writers.h"

namespace bigdna::io {

namespace {
const std::vector<FormatRow> kFormats{
    {Format::tsv, "TSV", {".tsv", ".txt"}, true, make_text_writer},
    {Format::bed, "BED", {".bed"}, true, make_text_writer},
    {Format::peaks, "narrowPeak or broadPeak", {".narrowpeak", ".broadpeak"}, true},
    {Format::bedgraph, "bedGraph", {".bedgraph", ".bdg", ".bg"}, true, make_text_writer},
    {Format::vcf, "VCF", {".vcf"}, true},
    {Format::bcf, "BCF", {".bcf"}},
    {Format::hdf5, "HDF5", {".h5", ".hdf5"}, false, make_hdf5_writer},
    {Format::npy, "NumPy", {".npy"}, false, make_npy_writer},
    {Format::safetensors, "safetensors", {".safetensors"}, false, make_safetensors_writer},
    {Format::bigwig, "bigWig", {".bw", ".bigwig"}},
    {Format::json, "JSON", {".json"}, true},
    {Format::svg, "SVG", {".svg"}, true},
    {Format::html, "HTML", {".html", ".htm"}, true},
};

/// ".tsv" of "a/b.TSV"; "" if there is none, or one that only numbers a file.
std::string suffix_of(std::string_view path) {
  path = path.substr(path.rfind('/') + 1);
  const auto dot = path.rfind('.');
  if (dot == path.npos || dot == 0) return "";
  std::string suffix(path.substr(dot));
  std::ranges::transform(suffix, suffix.begin(), [](unsigned char c) { return std::tolower(c); });
  const bool number = std::all_of(suffix.begin() + 1, suffix.end(), [](unsigned char c) { return std::isdigit(c); });
  return number ? "" : suffix;
}
}  // namespace

const FormatRow& format_row(Format format) { return *std::ranges::find(kFormats, format, &FormatRow::format); }

std::string formats_text(std::span<const Format> formats) {
  std::string text;
  bool compressible = false;
  for (size_t i = 0; i < formats.size(); ++i) {
    const FormatRow& row = format_row(formats[i]);
    text += concat(i == 0 ? "" : i + 1 == formats.size() ? " or " : ", ", row.name, " (");
    for (size_t k = 0; k < row.suffixes.size(); ++k) text += concat(k ? ", " : "", row.suffixes[k]);
    text += ")";
    compressible |= row.text;
  }
  return text + (compressible ? "; text is compressed if .gz follows" : "");
}

Format format_of(const std::string& path, std::span<const Format> formats) {
  if (path == "-" || path.starts_with("/dev/")) return formats.front();
  const bool compressed = has_suffix(path, {".gz", ".bgz"});
  const std::string suffix = suffix_of(std::string_view(path).substr(0, compressed ? path.rfind('.') : path.size()));
  if (suffix.empty()) return formats.front();
  for (const Format format : formats) {
    const FormatRow& row = format_row(format);
    if (std::ranges::find(row.suffixes, suffix) == row.suffixes.end()) continue;
    if (!compressed || row.text) return format;
    throw UsageError(concat(path, ": ", row.name, " files are compressed internally: leave out .gz"));
  }
  throw UsageError(concat(path, ": files of this suffix cannot be used here; the formats are ", formats_text(formats)));
}

}  // namespace bigdna::io
