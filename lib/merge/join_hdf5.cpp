#include <algorithm>
#include <cstring>
#include <map>

#include "base/error.h"
#include "io/hdf5.h"
#include "io/hdf5_table.h"
#include "io/output.h"
#include "merge/joiners.h"

namespace bigdna::merge {

namespace {
using io::Hdf5Handle;

// As io::make_hdf5_writer() lays files out: a dataset for each column, and lists of the texts that some columns number.
/// Whether it has a row per column, not per row.
bool is_about_columns(std::string_view name) { return name.starts_with("feature_") || name == "track_name"; }
constexpr hsize_t kWidest = 1 << 26;  // values of a row, or of an attribute: more are none of bigdna's

std::vector<std::string> datasets_of(const io::Hdf5File& file) {
  H5G_info_t group{};
  if (H5Gget_info(file, &group) < 0) fail(file.path(), ": its datasets cannot be listed");
  std::vector<std::string> names(group.nlinks);
  for (hsize_t i = 0; i < group.nlinks; ++i) {
    const auto get = [&](char* to, size_t size) {
      return H5Lget_name_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, i, to, size, H5P_DEFAULT);
    };
    const ssize_t length = get(nullptr, 0);
    if (length < 0) fail(file.path(), ": its datasets cannot be listed");
    names[i].resize(static_cast<size_t>(length));
    get(names[i].data(), names[i].size() + 1);
  }
  return names;
}

/// Reads the rows of a dataset of one or two dimensions, a block at a time.
class Rows {
 public:
  Rows(const io::Hdf5File& file, const std::string& name)
      : what_(file.path() + ": " + name), dataset_(file.dataset(name)), space_(H5Dget_space(dataset_), H5Sclose) {
    rank_ = H5Sget_simple_extent_ndims(space_);
    if (rank_ != 1 && rank_ != 2) fail(what_, ": has ", rank_, " dimensions");
    hsize_t size[2] = {0, 0};
    H5Sget_simple_extent_dims(space_, size, nullptr);
    rows_ = size[0], width_ = rank_ == 2 ? size[1] : 0;
    if (size[1] > kWidest) fail(what_, ": damaged: has ", size[1], " columns");
    const Hdf5Handle stored(H5Dget_type(dataset_), H5Tclose);
    const auto kind = H5Tget_class(stored);
    if (kind != H5T_STRING && kind != H5T_INTEGER && kind != H5T_FLOAT) fail(what_, ": holds neither numbers nor text");
    text_ = kind == H5T_STRING;
    type_ = text_ ? Hdf5Handle(H5Tcopy(io::hdf5_string()), H5Tclose)
                  : Hdf5Handle(H5Tget_native_type(stored, H5T_DIR_ASCEND), H5Tclose);
    if (text_ && H5Tis_variable_str(stored) <= 0) fail(what_, ": holds strings of one length");
  }
  /// Error unless the elements can be rows of a list.
  void require_numbers() const {
    if (text_ || width_ > 0 || H5Tequal(type_, H5T_NATIVE_INT32) <= 0) fail(what_, ": holds no numbers of 32 bits");
  }
  hsize_t rows() const { return rows_; }
  size_t width() const { return width_; }
  bool text() const { return text_; }
  hid_t type() const { return type_; }

  /// Calls `take(row)` with the bytes of each row, or its strings.
  template <class Take>
  void each(Take take) const {
    const size_t cells = std::max<size_t>(1, width_), bytes = H5Tget_size(type_) * cells;
    const hsize_t most = std::clamp<hsize_t>((1 << 20) / bytes, 1, 4096);
    std::vector<std::byte> block;
    for (hsize_t first = 0; first < rows_; first += most) {
      const hsize_t count = std::min(most, rows_ - first);
      block.assign(count * bytes, std::byte{});
      const hsize_t from[2] = {first, 0}, size[2] = {count, width_};
      const Hdf5Handle memory(H5Screate_simple(rank_, size, nullptr), H5Sclose);
      if (H5Sselect_hyperslab(space_, H5S_SELECT_SET, from, nullptr, size, nullptr) < 0 ||
          H5Dread(dataset_, type_, memory, space_, H5P_DEFAULT, block.data()) < 0)
        fail(what_, ": cannot be read");
      for (hsize_t row = 0; row < count; ++row) take(block.data() + row * bytes);
      if (text_) H5Dvlen_reclaim(type_, memory, H5P_DEFAULT, block.data());
    }
  }
  std::vector<std::string> strings(const std::byte* row) const {
    std::vector<std::string> result;
    for (size_t i = 0; i < std::max<size_t>(1, width_); ++i) {
      const char* text = nullptr;
      std::memcpy(&text, row + i * sizeof text, sizeof text);
      result.emplace_back(text ? text : "");
    }
    return result;
  }

 private:
  std::string what_;
  Hdf5Handle dataset_, space_, type_;
  int rank_ = 0;
  hsize_t rows_ = 0;
  size_t width_ = 0;
  bool text_ = false;
};

std::vector<std::string> texts_of(const io::Hdf5File& file, const std::string& name) {
  std::vector<std::string> texts;
  const Rows rows(file, name);
  rows.each([&](const std::byte* row) { texts.push_back(rows.strings(row).front()); });
  return texts;
}

/// A list's texts of all parts in the order of their first use, and for each part the rows that its own get.
struct List {
  std::string name;
  std::vector<std::string> texts;
  std::vector<std::vector<int32_t>> rows;
};
List join_lists(const Paths& parts, const std::string& name) {
  List list{.name = name, .texts = {}, .rows = {}};
  std::map<std::string, int32_t> known;
  for (const auto& part : parts) {
    auto& rows = list.rows.emplace_back();
    for (auto& text : texts_of(io::Hdf5File::open(part), name)) {
      const auto [found, added] = known.emplace(text, static_cast<int32_t>(list.texts.size()));
      if (added) list.texts.push_back(text);
      rows.push_back(found->second);
    }
  }
  return list;
}

/// `list`: that the dataset's elements are rows of, or null.
void join_rows(const Paths& parts, const io::Hdf5File& out, const std::string& name, const List* list) {
  const auto first_part = io::Hdf5File::open(parts.front());
  const Rows first(first_part, name);
  io::Hdf5Table table(out, name, first.type(), first.width());
  if (list) {
    first.require_numbers();
    table.point_to(list->name);
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto part = io::Hdf5File::open(parts[i]);
    const Rows rows(part, name);
    if (rows.width() != first.width() || H5Tequal(rows.type(), first.type()) <= 0)
      fail(parts[i], ": ", name, " is of another type or width than in ", parts.front());
    rows.each([&](const std::byte* row) {
      if (rows.text()) return table.append(rows.strings(row));
      if (!list) return table.append(static_cast<const void*>(row));
      int32_t number = 0;
      std::memcpy(&number, row, sizeof number);
      if (number < 0 || static_cast<size_t>(number) >= list->rows[i].size())
        fail(parts[i], ": ", name, " holds ", number, ", which is no row of ", list->name);
      table.append(&list->rows[i][static_cast<size_t>(number)]);
    });
  }
  table.close();
}

/// Of each dataset whose elements are rows of a list (io::list_of()), the list.
std::map<std::string, std::string> lists_of(const io::Hdf5File& file, const std::vector<std::string>& names) {
  std::map<std::string, std::string> lists;
  for (const auto& name : names)
    if (auto list = io::list_of(file, name); !list.empty()) lists.emplace(name, std::move(list));
  return lists;
}

void copy_attributes(const io::Hdf5File& from, const io::Hdf5File& to) {
  const auto copy = [](hid_t source, const char* name, const H5A_info_t*, void* target) -> herr_t {
    const Hdf5Handle attribute(H5Aopen(source, name, H5P_DEFAULT), H5Aclose), type(H5Aget_type(attribute), H5Tclose),
        space(H5Aget_space(attribute), H5Sclose);
    const auto count = H5Sget_simple_extent_npoints(space);
    if (count < 0 || count > static_cast<hssize_t>(kWidest)) return -1;
    std::vector<char*> texts(static_cast<size_t>(std::max<hssize_t>(1, count)));
    if (H5Tis_variable_str(type) <= 0 || H5Aread(attribute, type, texts.data()) < 0) return -1;
    const Hdf5Handle copied(H5Acreate2(*static_cast<const hid_t*>(target), name, type, space, H5P_DEFAULT, H5P_DEFAULT),
                            H5Aclose);
    const herr_t status = H5Awrite(copied, type, texts.data());
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, texts.data());
    return status;
  };
  hid_t target = to;
  if (H5Aiterate2(from, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, copy, &target) < 0)
    fail(from.path(), ": its attributes cannot be copied");
}
}  // namespace

void join_hdf5(const Paths& parts, const std::string& output, int) {
  const auto first = io::Hdf5File::open(parts.front());
  const auto names = datasets_of(first);
  const auto list_names = lists_of(first, names);
  for (const auto& part : parts) {
    const auto file = io::Hdf5File::open(part);
    if (datasets_of(file) != names) fail(part, ": holds other datasets than ", parts.front());
    if (lists_of(file, names) != list_names) fail(part, ": its datasets number other lists than in ", parts.front());
  }
  std::map<std::string, List> lists;  // by name
  for (const auto& [name, list] : list_names)
    if (!lists.contains(list)) lists.emplace(list, join_lists(parts, list));
  io::AtomicFile target(output);
  auto out = io::Hdf5File::create(target);
  copy_attributes(first, out);
  for (const auto& name : names) {
    if (const auto list = lists.find(name); list != lists.end())
      io::write_strings(out, name, list->second.texts);
    else  // what describes the columns is the same in each part; H5Ocopy would crash on a damaged one
      join_rows(is_about_columns(name) ? Paths{parts.front()} : parts, out, name,
                list_names.contains(name) ? &lists.at(list_names.at(name)) : nullptr);
  }
  out.close();
  target.commit();
}

}  // namespace bigdna::merge
