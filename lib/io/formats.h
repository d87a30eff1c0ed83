/// The formats of output files: one table, which options, help and writers read. A new format is a row here and, if it
/// holds rows of columns, a RowWriter (io/row_writer.h).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bigdna::io {

enum class Format { tsv, bed, peaks, bedgraph, vcf, bcf, hdf5, npy, safetensors, bigwig, json, svg, html };

class RowWriter;
struct OutputTable;

struct FormatRow {
  Format format{};
  const char* name;
  std::vector<std::string_view> suffixes;  // the first is the usual one
  bool text = false;  // goes to stdout, pipes and devices; compressed if .gz follows the suffix; shards can be joined
  /// Makes the writer of a table; null for formats that do not hold rows of columns.
  std::unique_ptr<RowWriter> (*make)(const std::string& path, OutputTable table) = nullptr;
};
const FormatRow& format_row(Format format);

/// The format of an output by its name. `formats` are those that the output can have; the first of them is that of "-",
/// of devices and of names without a suffix (or with one of digits alone). UsageError that names path and formats for
/// any other suffix.
Format format_of(const std::string& path, std::span<const Format> formats);
/// "TSV (.tsv, .txt), BED (.bed) or HDF5 (.h5, .hdf5); .gz after a suffix of text compresses it"
std::string formats_text(std::span<const Format> formats);

}  // namespace bigdna::io
