/// Tables as rows of typed columns, written in any format of io/formats.h that can hold them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "io/column_dictionary.h"
#include "io/formats.h"
#include "io/provenance.h"

namespace bigdna::io {

/// How text shows numbers: with as many digits as give the float back, or with six significant ones.
enum class Digits { shortest, six };

/// A column, or a block of columns of one type that arrays hold as a matrix [rows, columns].
struct Column {
  std::string name;                     // the column's entry in the dictionary, which has its type and meaning
  std::vector<std::string> block = {};  // the columns' names in text; empty: one column, called `name`
  Digits digits = Digits::shortest;
  std::string array = {};  // its name as an array; "" if that is `name`
  /// Of labels, texts that come in many rows: arrays hold their numbers, and the texts are a list of this name.
  std::string labels = {};
};

/// A text that has a number, from 0, in the order of first use; -1: the writer numbers it.
struct Label {
  std::string_view text;
  int64_t number = -1;
};
/// One for each column, of the dictionary's type: text, a label, an integer, a flag (0 or 1; -1: missing), numbers
/// (one, or those of a block; NaN: missing), or the texts of a block.
using Cell = std::variant<std::string_view, Label, int64_t, std::span<const float>, std::span<const std::string>>;

/// Something said of a block's columns, one value for each. Only HDF5 holds it.
struct ColumnArray {
  std::string name;
  std::variant<std::vector<std::string>, std::vector<int64_t>, std::vector<double>> values;
};

/// What text tables begin with.
enum class TableHeader : uint8_t {
  hash,   // ## lines, and the names of columns behind #: what bedtools, tabix and grep pass over
  plain,  // the names of columns alone
  none
};
/// apps/ calls it once for each command.
void set_table_header(TableHeader header);

struct OutputTable {
  std::string name;  // in the dictionary of columns
  std::vector<Column> columns;
  Provenance provenance = {};
  std::vector<ColumnArray> about = {};
  bool header = true;                     // false: text without comments and header, for later shards
  int threads = 1;                        // that compress
  std::optional<TableHeader> style = {};  // unset: that of set_table_header()
};

class RowWriter {
 public:
  virtual ~RowWriter() = default;
  /// Another ## line of a text table, before the first row; nothing in other formats.
  virtual void comment(const std::string& /*key*/, const std::string& /*value*/) {}
  virtual void row(std::span<const Cell> cells) = 0;
  /// Gives a label that no row has its place in the list, which arrays have of the labels in the column: after those of
  /// lower numbers.
  virtual void label(size_t, const Label&) {}
  /// Nothing exists under the final name before it.
  virtual void commit() = 0;
};

/// Opens the file. A column that the dictionary lacks is an internal error.
std::unique_ptr<RowWriter> make_row_writer(const std::string& path, Format format, OutputTable table);
/// The files that it writes: `path`, and of a NumPy file NAME.rows.tsv, which holds all columns but the numbers.
std::vector<std::string> table_files(const std::string& path, Format format);

}  // namespace bigdna::io
