#include "io/row_writer.h"

#include <charconv>
#include <cmath>

#include "base/error.h"
#include "io/output.h"
#include "io/row_writers.h"

namespace bigdna::io {

namespace {
TableHeader table_header = TableHeader::hash;

/// TSV, BED and bedGraph: comments, a header line, and a line for each row.
class TextWriter : public RowWriter {
 public:
  TextWriter(const std::string& path, OutputTable table) : out_(path, table.threads) {
    for (const Column& column : table.columns) {
      digits_.push_back(column.digits);
      types_.push_back(entry_of(table.name, column.name).type);
    }
    const auto style = table.style.value_or(table_header);
    if (!table.header || style == TableHeader::none) return;
    if (style == TableHeader::hash) comments_ = table.provenance.comments();
    std::string names;
    for (const Column& column : table.columns) {
      const ColumnType type = entry_of(table.name, column.name).type;
      if (type != ColumnType::texts && type != ColumnType::numbers) names += "\t" + column.name;
      for (const auto& name : column.block) names += "\t" + name;
    }
    if (!names.empty()) names.erase(0, 1);
    names_ = (style == TableHeader::hash ? "#" : "") + names + "\n";
  }

  void comment(const std::string& key, const std::string& value) override {
    if (!comments_.empty()) comments_ += concat("##", key, "=", value, "\n");
  }
  void row(std::span<const Cell> cells) override {
    begin();
    line_.clear();
    for (size_t i = 0; i < cells.size(); ++i) std::visit([&](const auto& cell) { append(cell, i); }, cells[i]);
    if (!line_.empty()) line_.erase(0, 1);
    line_ += '\n';
    out_ << line_;
  }
  void commit() override {
    begin();
    out_.commit();
  }

 private:
  /// Writes what stands before the rows, once.
  void begin() {
    if (begun_) return;
    begun_ = true;
    out_ << comments_ + names_;
  }
  void append(std::string_view text, size_t) { line_.append(1, '\t').append(text.empty() ? "." : text); }
  void append(const Label& label, size_t i) { append(label.text, i); }
  void append(int64_t value, size_t i) {
    if (types_[i] == ColumnType::truth) return append(std::string_view(value ? "True" : "False"), i);
    if (types_[i] == ColumnType::flag && value < 0) return append(std::string_view(), i);
    char digits[24];
    line_ += '\t';
    line_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }
  void append(std::span<const std::string> texts, size_t i) {
    for (const auto& text : texts) append(std::string_view(text), i);
  }
  void append(std::span<const float> numbers, size_t i) {
    const Digits digits = digits_[i];
    for (const float number : numbers) {
      line_ += '\t';
      if (std::isnan(number)) {
        line_ += '.';
        continue;
      }
      char text[64];
      char* const last = text + sizeof text;
      const auto end = digits == Digits::six ? std::to_chars(text, last, number, std::chars_format::general, 6)
                                             : std::to_chars(text, last, number);
      line_.append(text, end.ptr);
    }
  }

  Output out_;
  std::vector<Digits> digits_;
  std::vector<ColumnType> types_;
  std::string comments_, names_;  // of the header
  bool begun_ = false;            // the header is written
  std::string line_;
};
}  // namespace

void set_table_header(TableHeader header) { table_header = header; }

std::unique_ptr<RowWriter> make_text_writer(const std::string& path, OutputTable table) {
  return std::make_unique<TextWriter>(path, std::move(table));
}

std::unique_ptr<RowWriter> make_row_writer(const std::string& path, Format format, OutputTable table) {
  const auto make = format_row(format).make;
  if (!make) fail("internal error: ", format_row(format).name, " does not hold the rows of ", path);
  return make(path, std::move(table));
}

std::vector<std::string> table_files(const std::string& path, Format format) {
  if (format != Format::npy) return {path};
  return {path, path.substr(0, path.size() - std::string_view(".npy").size()) + ".rows.tsv"};
}

}  // namespace bigdna::io
