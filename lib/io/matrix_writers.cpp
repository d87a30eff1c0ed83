/// Rows of typed columns as arrays in one piece: NumPy's .npy and safetensors. The numbers go through an unnamed file
/// beside the output, because the size of an array comes before it.
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <deque>
#include <optional>

#include "base/error.h"
#include "base/utf8.h"
#include "io/mapped_file.h"
#include "io/npz.h"
#include "io/row_writers.h"
#include "io/safetensors.h"
#include "io/write_all.h"

namespace bigdna::io {

namespace {
/// A file without a name, which is written sequentially and then mapped. It disappears with the process.
class Scratch {
 public:
  explicit Scratch(const std::string& beside) : path_(beside) {
    std::string name = beside + ".XXXXXX";
    file_ = mkstemp(name.data());
    if (file_ < 0) fail(beside, ": ", errno_text(errno));
    unlink(name.c_str());
  }
  ~Scratch() { close(file_); }
  Scratch(const Scratch&) = delete;

  void append(std::span<const float> values) {
    const auto bytes = std::as_bytes(values);
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    if (buffer_.size() >= kBuffer) flush();
  }
  std::span<const float> map() {
    flush();
    if (bytes_ == 0) return {};
    const auto bytes = map_.emplace(file_, 0, bytes_, path_).bytes();
    return {reinterpret_cast<const float*>(bytes.data()), bytes_ / sizeof(float)};
  }

 private:
  void flush() {
    if (const int error_number = write_all(file_, std::span<const std::byte>(buffer_)))
      fail(path_, ": ", errno_text(error_number));
    bytes_ += buffer_.size();
    buffer_.clear();
  }

  static constexpr size_t kBuffer = 1 << 20;
  std::string path_;
  int file_;
  size_t bytes_ = 0;
  std::optional<MappedFile> map_;
  std::vector<std::byte> buffer_;
};

/// The matrix of a table's only block of numbers; all other columns go to NAME.rows.tsv, whose comments speak for both.
class NpyWriter : public RowWriter {
 public:
  NpyWriter(const std::string& path, OutputTable table) : path_(path), matrix_(path) {
    for (size_t i = 0; i < table.columns.size(); ++i)
      if (entry_of(table.name, table.columns[i].name).type == ColumnType::numbers) numbers_ = i;
    width_ = static_cast<int64_t>(table.columns[numbers_].block.size());
    table.columns.erase(table.columns.begin() + static_cast<int64_t>(numbers_));
    others_ = make_text_writer(table_files(path, Format::npy).back(), std::move(table));
  }
  void row(std::span<const Cell> cells) override {
    matrix_.append(std::get<std::span<const float>>(cells[numbers_]));
    other_cells_.assign(cells.begin(), cells.end());
    other_cells_.erase(other_cells_.begin() + static_cast<int64_t>(numbers_));
    others_->row(other_cells_);
    ++rows_;
  }
  void commit() override {
    const auto values = matrix_.map();
    Output out(path_);
    out << npy_header(std::array{rows_, width_});
    out.write(values.data(), values.size_bytes());
    out.commit();
    others_->commit();
  }

 private:
  std::string path_;
  Scratch matrix_;
  std::unique_ptr<RowWriter> others_;
  std::vector<Cell> other_cells_;
  size_t numbers_ = 0;
  int64_t rows_ = 0, width_ = 0;
};

/// Arrays of numbers, and of labels by number; the labels themselves, one per line, and the provenance are metadata.
class SafetensorsWriter : public RowWriter {
 public:
  SafetensorsWriter(const std::string& path, OutputTable table) : path_(path), table_(std::move(table)) {
    for (const Column& column : table_.columns) {
      Data& data = data_.emplace_back();
      data.type = entry_of(table_.name, column.name).type;
      if (data.type == ColumnType::numbers || data.type == ColumnType::number) data.numbers.emplace(path);
      if (data.type == ColumnType::text || data.type == ColumnType::texts)
        fail("internal error: a safetensors file cannot hold the text of ", column.name);
    }
  }
  void row(std::span<const Cell> cells) override {
    ++rows_;
    for (size_t i = 0; i < cells.size(); ++i) {
      Data& data = data_[i];
      if (const auto* numbers = std::get_if<std::span<const float>>(&cells[i])) {
        data.numbers->append(*numbers);
      } else if (const auto* label = std::get_if<Label>(&cells[i])) {
        add_label(data, *label);
        data.integers.push_back(label->number);
      } else {
        data.integers.push_back(std::get<int64_t>(cells[i]));
      }
    }
  }
  void label(size_t column, const Label& label) override { add_label(data_[column], label); }
  void commit() override {
    std::vector<ArrayToWrite> arrays;
    std::map<std::string, std::string> metadata;
    for (size_t i = 0; i < data_.size(); ++i) {
      const Column& column = table_.columns[i];
      Data& data = data_[i];
      const std::string& name = column.array.empty() ? column.name : column.array;
      if (data.type == ColumnType::numbers)
        arrays.push_back(array(name, data.numbers->map(), {rows_, static_cast<int64_t>(column.block.size())}));
      else if (data.type == ColumnType::number)
        arrays.push_back(array(name, data.numbers->map(), {rows_}));
      else
        arrays.push_back(array(name, std::span<const int64_t>(data.integers), {rows_}));
      if (data.type == ColumnType::label) metadata[column.labels] = data.labels;
    }
    for (const auto& [key, values] : table_.provenance.by_key())
      for (const auto& value : values) {
        std::string& to = metadata[key];
        to += (to.empty() ? "" : "\n") + value;
      }
    write_safetensors(path_, arrays, metadata);
  }

 private:
  struct Data {
    ColumnType type{};
    std::optional<Scratch> numbers;
    std::vector<int64_t> integers;
    std::string labels;
    int64_t labels_seen = 0;
  };
  void add_label(Data& data, const Label& label) {
    const std::string_view text = label.text;
    if (label.number != data.labels_seen) return;  // it is there
    if (!is_utf8(text)) fail(path_, ": the name '", text, "' is not UTF-8, which a safetensors file must be");
    data.labels.append(text).push_back('\n');
    ++data.labels_seen;
  }

  std::string path_;
  OutputTable table_;
  std::deque<Data> data_;
  int64_t rows_ = 0;
};
}  // namespace

std::unique_ptr<RowWriter> make_npy_writer(const std::string& path, OutputTable table) {
  return std::make_unique<NpyWriter>(path, std::move(table));
}
std::unique_ptr<RowWriter> make_safetensors_writer(const std::string& path, OutputTable table) {
  return std::make_unique<SafetensorsWriter>(path, std::move(table));
}

}  // namespace bigdna::io
