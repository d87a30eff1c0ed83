/// Rows of typed columns as HDF5: a dataset for each column, or block of columns.
#include <deque>
#include <optional>
#include <unordered_map>

#include "base/error.h"
#include "io/hdf5_table.h"
#include "io/row_writers.h"

namespace bigdna::io {

namespace {
/// The numbers of labels. Only so many are kept: beyond, a label that comes again may get a second number.
class LabelNumbers {
 public:
  /// The label's number, and whether it is new.
  std::pair<int32_t, bool> number_of(const Label& label) {
    if (label.number >= 0) {
      const bool added = label.number >= next_;
      if (added) next_ = static_cast<int32_t>(label.number) + 1;
      return {static_cast<int32_t>(label.number), added};
    }
    if (numbers_.size() >= kMost) numbers_.clear();
    const auto [found, added] = numbers_.emplace(label.text, next_);
    next_ += added;
    return {found->second, added};
  }

 private:
  static constexpr size_t kMost = 1 << 20;
  std::unordered_map<std::string, int32_t> numbers_;
  int32_t next_ = 0;
};

class Hdf5Writer : public RowWriter {
 public:
  Hdf5Writer(const std::string& path, const OutputTable& table) : target_(path), file_(Hdf5File::create(target_)) {
    for (const auto& [key, values] : table.provenance.by_key()) write_attribute(file_, key, values);
    for (const Column& column : table.columns) {
      const std::string& name = column.array.empty() ? column.name : column.array;
      Data& data = data_.emplace_back();
      switch (entry_of(table.name, column.name).type) {
        case ColumnType::label:
          data.labels.emplace(file_, column.labels, hdf5_string());
          data.values.emplace(file_, name, H5T_NATIVE_INT32);
          data.values->point_to(column.labels);
          break;
        case ColumnType::text:
          data.values.emplace(file_, name, hdf5_string());
          break;
        case ColumnType::texts:
          if (!column.block.empty()) data.values.emplace(file_, name, hdf5_string(), column.block.size());
          break;
        case ColumnType::integer:
          data.values.emplace(file_, name, H5T_NATIVE_INT64);
          break;
        case ColumnType::flag:
        case ColumnType::truth:
          data.values.emplace(file_, name, H5T_NATIVE_INT8);
          data.is_flag = true;
          break;
        case ColumnType::number:
          data.values.emplace(file_, name, H5T_NATIVE_FLOAT);
          break;
        case ColumnType::numbers:
          data.values.emplace(file_, name, H5T_NATIVE_FLOAT, column.block.size());
          break;
      }
    }
    for (const ColumnArray& array : table.about)
      std::visit([&](const auto& values) { write_array(array.name, values); }, array.values);
  }

  void row(std::span<const Cell> cells) override {
    for (size_t i = 0; i < cells.size(); ++i)
      if (data_[i].values) std::visit([&](const auto& cell) { append(data_[i], cell); }, cells[i]);
  }

  void label(size_t column, const Label& label) override { number_of(data_[column], label); }

  void commit() override {
    for (Data& data : data_)
      for (auto* table : {&data.values, &data.labels})
        if (*table) (*table)->close();
    file_.close();
    target_.commit();
  }

 private:
  struct Data {
    std::optional<Hdf5Table> values, labels;
    LabelNumbers numbers;
    bool is_flag = false;
  };
  static void append(Data& data, std::string_view text) {
    data.values->append(std::vector<std::string>{std::string(text)});
  }
  static int32_t number_of(Data& data, const Label& label) {
    const auto [number, added] = data.numbers.number_of(label);
    if (added) data.labels->append(std::vector<std::string>{std::string(label.text)});
    return number;
  }
  static void append(Data& data, const Label& label) {
    const int32_t number = number_of(data, label);
    data.values->append(&number);
  }
  static void append(Data& data, int64_t value) {
    const auto flag = static_cast<int8_t>(value);
    if (data.is_flag)
      data.values->append(&flag);
    else
      data.values->append(&value);
  }
  static void append(Data& data, std::span<const float> numbers) { data.values->append(numbers.data()); }
  static void append(Data& data, std::span<const std::string> texts) {
    data.values->append(std::vector<std::string>(texts.begin(), texts.end()));
  }
  void write_array(const std::string& name, const std::vector<std::string>& values) {
    write_strings(file_, name, values);
  }
  template <class T>
  void write_array(const std::string& name, const std::vector<T>& values) {
    Hdf5Table table(file_, name, std::is_same_v<T, double> ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64);
    for (const T& value : values) table.append(&value);
    table.close();
  }

  AtomicFile target_;
  Hdf5File file_;
  std::deque<Data> data_;
};
}  // namespace

std::unique_ptr<RowWriter> make_hdf5_writer(const std::string& path, OutputTable table) {
  return std::make_unique<Hdf5Writer>(path, table);
}

}  // namespace bigdna::io
