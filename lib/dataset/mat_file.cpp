#include "dataset/mat_file.h"

#include <hdf5.h>
#include <matio.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>

#include "base/error.h"
#include "io/hdf5.h"

namespace bigdna::dataset {

struct MatArray::State {
  std::string path, variable;
  std::vector<int64_t> shape, chunk;

  virtual ~State() = default;
  virtual std::vector<uint8_t> read(std::span<const int64_t> first, std::span<const int64_t> count) = 0;
  std::string what() const { return path + ": " + variable; }
  /// Error if the number is not a byte.
  template <class T>
  void to_bytes(std::span<const T> numbers, std::vector<uint8_t>& bytes) const {
    for (size_t i = 0; i < numbers.size(); ++i) {
      const auto number = static_cast<double>(numbers[i]);
      if (!(number >= 0 && number <= 255 && number == std::floor(number)))
        fail(what(), ": a value is not a whole number from 0 to 255");
      bytes[i] = static_cast<uint8_t>(number);
    }
  }
};

namespace {
int64_t product(std::span<const int64_t> values) {
  return std::accumulate(values.begin(), values.end(), int64_t{1}, std::multiplies<>());
}

template <class T>
std::vector<hsize_t> reversed(const T& values) {
  return {values.rbegin(), values.rend()};
}
}  // namespace

/// Version 7.3. MATLAB puts 512 bytes before the HDF5 part and h5py none; the library finds it in both.
struct Mat73 : MatArray::State {
  io::Hdf5File file;
  io::Hdf5Handle dataset;
  bool bytes = false;  // the values are stored as bytes

  explicit Mat73(const std::string& name, const std::string& variable)
      : file(io::Hdf5File::open(name)), dataset(file.dataset(variable)) {
    const io::Hdf5Handle space(H5Dget_space(dataset), H5Sclose), properties(H5Dget_create_plist(dataset), H5Pclose),
        type(H5Dget_type(dataset), H5Tclose);
    const auto kind = H5Tget_class(type);
    if (kind != H5T_INTEGER && kind != H5T_FLOAT) fail(name, ": ", variable, " is not a numeric array");
    bytes = H5Tequal(type, H5T_NATIVE_UINT8) > 0;
    std::vector<hsize_t> sizes(static_cast<size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
    H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
    shape.assign(sizes.rbegin(), sizes.rend());
    chunk = shape;
    if (!chunk.empty()) chunk.back() = 1;
    if (H5Pget_layout(properties) == H5D_CHUNKED) {
      H5Pget_chunk(properties, static_cast<int>(sizes.size()), sizes.data());
      chunk.assign(sizes.rbegin(), sizes.rend());
    }
  }
  std::vector<uint8_t> read(std::span<const int64_t> first, std::span<const int64_t> count) override {
    std::vector<uint8_t> values(static_cast<size_t>(product(count)));
    const auto start = reversed(first), size = reversed(count);
    const io::Hdf5Handle from(H5Dget_space(dataset), H5Sclose),
        to(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), H5Sclose);
    H5Sselect_hyperslab(from, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr);
    const auto read = [&](hid_t type, void* into) {
      if (H5Dread(dataset, type, to, from, H5P_DEFAULT, into) < 0) fail(what(), ": damaged HDF5 data");
    };
    if (bytes) {
      read(H5T_NATIVE_UINT8, values.data());
    } else {  // the library's conversion would clip values that are not bytes
      std::vector<double> numbers(values.size());
      read(H5T_NATIVE_DOUBLE, numbers.data());
      to_bytes<double>(numbers, values);
    }
    return values;
  }
};

/// Version 5 (and 4). A compressed variable is one stream in which the last index varies slowest.
struct Mat5 : MatArray::State {
  std::unique_ptr<mat_t, int (*)(mat_t*)> file;
  std::unique_ptr<matvar_t, void (*)(matvar_t*)> info;

  Mat5(const std::string& name, const std::string& variable)
      : file(Mat_Open(name.c_str(), MAT_ACC_RDONLY), Mat_Close), info(nullptr, Mat_VarFree) {
    if (!file) fail(name, ": is not a MATLAB file");
    info.reset(Mat_VarReadInfo(file.get(), variable.c_str()));
    if (!info) fail(name, ": has no variable ", variable, ", or is damaged");
    if (info->class_type != MAT_C_UINT8 && info->class_type != MAT_C_INT8 && info->class_type != MAT_C_DOUBLE &&
        info->class_type != MAT_C_SINGLE)
      fail(name, ": ", variable, " is not an array of bytes or floating-point numbers");
    shape.assign(info->dims, info->dims + info->rank);
    chunk = shape;
    if (!chunk.empty()) chunk.back() = 1;
  }
  template <class T>
  void read_as(std::vector<int>& start, std::vector<int>& stride, std::vector<int>& edge,
               std::vector<uint8_t>& values) {
    constexpr bool kBytes = std::is_same_v<T, uint8_t>;
    std::vector<T> numbers(kBytes ? 0 : values.size());
    void* into = kBytes ? static_cast<void*>(values.data()) : numbers.data();
    if (Mat_VarReadData(file.get(), info.get(), into, start.data(), stride.data(), edge.data()) != 0)
      fail(what(), ": truncated or damaged data");
    if constexpr (!kBytes) to_bytes<T>(numbers, values);
  }
  std::vector<uint8_t> read(std::span<const int64_t> first, std::span<const int64_t> count) override {
    std::vector<uint8_t> values(static_cast<size_t>(product(count)));
    std::vector<int> start(first.begin(), first.end()), stride(first.size(), 1), edge(count.begin(), count.end());
    if (info->class_type == MAT_C_DOUBLE)
      read_as<double>(start, stride, edge, values);
    else if (info->class_type == MAT_C_SINGLE)
      read_as<float>(start, stride, edge, values);
    else if (info->class_type == MAT_C_INT8)
      read_as<int8_t>(start, stride, edge, values);
    else
      read_as<uint8_t>(start, stride, edge, values);
    return values;
  }
};

namespace {
/// Error if the array claims more values than the file can hold: loops and memory depend on the claim.
void require_plausible(const MatArray::State& array) {
  constexpr double kMostCompression = 1100;  // of deflate, whose limit is 1032
  double values = 1;
  for (const int64_t length : array.shape) {
    if (length < 0) fail(array.what(), ": a dimension is negative: damaged");
    values *= static_cast<double>(length);
  }
  const auto bytes = static_cast<double>(std::filesystem::file_size(array.path));
  if (values > kMostCompression * bytes) fail(array.what(), ": claims more values than its file can hold: damaged");
}
}  // namespace

MatArray::MatArray(const std::string& path, const std::string& variable) {
  if (!std::ifstream(path)) fail(path, ": ", errno_text(errno));
  if (io::Hdf5File::recognises(path))
    state_ = std::make_unique<Mat73>(path, variable);
  else
    state_ = std::make_unique<Mat5>(path, variable);
  state_->path = path;
  state_->variable = variable;
  require_plausible(*state_);
}
MatArray::~MatArray() = default;
MatArray::MatArray(MatArray&&) noexcept = default;
const std::string& MatArray::path() const { return state_->path; }
const std::vector<int64_t>& MatArray::shape() const { return state_->shape; }
const std::vector<int64_t>& MatArray::chunk() const { return state_->chunk; }
std::vector<uint8_t> MatArray::read(std::span<const int64_t> first, std::span<const int64_t> count) const {
  return state_->read(first, count);
}

}  // namespace bigdna::dataset
