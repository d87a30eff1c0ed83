#include "io/hdf5_table.h"

#include <algorithm>
#include <cerrno>

#include "base/error.h"

namespace bigdna::io {

namespace {
constexpr size_t kChunk = 1 << 20;       // bytes written together
constexpr const char* kList = "row_of";  // attribute of a dataset that points to another

void write_attribute(hid_t object, const std::string& name, const std::vector<std::string>& values,
                     const std::string& what) {
  const hsize_t size = values.size();
  const Hdf5Handle space(size == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, nullptr), H5Sclose),
      attribute(H5Acreate2(object, name.c_str(), hdf5_string(), space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  std::vector<const char*> pointers;
  for (const auto& value : values) pointers.push_back(value.c_str());
  errno = 0;
  if (attribute < 0 || H5Awrite(attribute, hdf5_string(), pointers.data()) < 0) fail_writing(what, errno);
}
}  // namespace

hid_t hdf5_string() {
  static const hid_t type = [] {
    const hid_t made = H5Tcopy(H5T_C_S1);
    H5Tset_size(made, H5T_VARIABLE);
    H5Tset_cset(made, H5T_CSET_UTF8);
    return made;
  }();
  return type;
}

Hdf5Table::Hdf5Table(const Hdf5File& file, const std::string& name, hid_t type, size_t width)
    : what_(file.path() + ": " + name), type_(type), width_(width), element_(H5Tget_size(type)) {
  const size_t row = element_ * std::max<size_t>(1, width);
  chunk_rows_ = std::clamp<hsize_t>(kChunk / row, 1, 4096);
  const int rank = width ? 2 : 1;
  const hsize_t size[2] = {0, width}, most[2] = {H5S_UNLIMITED, width}, chunk[2] = {chunk_rows_, width};
  const Hdf5Handle space(H5Screate_simple(rank, size, most), H5Sclose),
      properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(properties, rank, chunk);
  H5Pset_obj_track_times(properties, false);  // so that the same predictions give the same bytes
  dataset_ = Hdf5Handle(H5Dcreate2(file, name.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose);
  if (dataset_ < 0) fail(what_, ": cannot be created");
}

void Hdf5Table::append(const void* row) {
  const auto* bytes = static_cast<const std::byte*>(row);
  buffer_.insert(buffer_.end(), bytes, bytes + element_ * std::max<size_t>(1, width_));
  if (++buffered_ == chunk_rows_) flush();
}

void Hdf5Table::append(const std::vector<std::string>& row) {
  strings_.insert(strings_.end(), row.begin(), row.end());
  if (++buffered_ == chunk_rows_) flush();
}

void Hdf5Table::point_to(const std::string& list) { write_attribute(dataset_, kList, {list}, what_); }

void Hdf5Table::flush() {
  if (buffered_ == 0) return;
  errno = 0;  // the library leaves the system's errno in it
  std::vector<const char*> pointers;
  for (const auto& text : strings_) pointers.push_back(text.c_str());
  const int rank = width_ ? 2 : 1;
  const hsize_t first[2] = {rows_, 0}, count[2] = {buffered_, width_}, size[2] = {rows_ + buffered_, width_};
  bool well = H5Dset_extent(dataset_, size) >= 0;
  const Hdf5Handle to(H5Dget_space(dataset_), H5Sclose), from(H5Screate_simple(rank, count, nullptr), H5Sclose);
  well = well && H5Sselect_hyperslab(to, H5S_SELECT_SET, first, nullptr, count, nullptr) >= 0;
  const void* data = pointers.empty() ? static_cast<const void*>(buffer_.data()) : pointers.data();
  if (!well || H5Dwrite(dataset_, type_, from, to, H5P_DEFAULT, data) < 0) fail_writing(what_, errno);
  rows_ += buffered_;
  buffered_ = 0;
  buffer_.clear();
  strings_.clear();
}

void Hdf5Table::close() {
  flush();
  errno = 0;
  if (dataset_.reset() < 0) fail_writing(what_, errno);
}

void write_attribute(const Hdf5File& file, const std::string& name, const std::vector<std::string>& values) {
  write_attribute(file, name, values, file.path() + ": " + name);
}

std::string list_of(const Hdf5File& file, const std::string& name) {
  const Hdf5Handle dataset = file.dataset(name);
  const htri_t exists = H5Aexists(dataset, kList);
  if (exists == 0) return "";
  const Hdf5Handle attribute(H5Aopen(dataset, kList, H5P_DEFAULT), H5Aclose), type(H5Aget_type(attribute), H5Tclose),
      space(H5Aget_space(attribute), H5Sclose);
  char* text = nullptr;
  if (exists < 0 || H5Sget_simple_extent_npoints(space) != 1 || H5Tis_variable_str(type) <= 0 ||
      H5Aread(attribute, type, &text) < 0)
    fail(file.path(), ": ", name, ": its attribute ", kList, " is damaged");
  std::string list = text ? text : "";
  H5Dvlen_reclaim(type, space, H5P_DEFAULT, &text);
  return list;
}

void write_strings(const Hdf5File& file, const std::string& name, const std::vector<std::string>& values) {
  Hdf5Table table(file, name, hdf5_string());
  for (const auto& value : values) table.append(std::vector<std::string>{value});
  table.close();
}

}  // namespace bigdna::io
