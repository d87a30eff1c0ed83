/// safetensors (https://github.com/huggingface/safetensors): an 8-byte header length, a JSON header, and raw
/// little-endian arrays. Files are mapped, so a large one takes no memory until it is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "io/output.h"

namespace bigdna::io {

enum class Dtype { u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64, boolean };
size_t dtype_size(Dtype);
const char* dtype_name(Dtype);  // "U8", "BF16" ...

template <class T>
inline constexpr Dtype dtype_of = T::is_no_element_type_of_safetensors;
template <>
inline constexpr Dtype dtype_of<uint8_t> = Dtype::u8;
template <>
inline constexpr Dtype dtype_of<int8_t> = Dtype::i8;
template <>
inline constexpr Dtype dtype_of<uint16_t> = Dtype::u16;
template <>
inline constexpr Dtype dtype_of<int16_t> = Dtype::i16;
template <>
inline constexpr Dtype dtype_of<uint32_t> = Dtype::u32;
template <>
inline constexpr Dtype dtype_of<int32_t> = Dtype::i32;
template <>
inline constexpr Dtype dtype_of<uint64_t> = Dtype::u64;
template <>
inline constexpr Dtype dtype_of<int64_t> = Dtype::i64;
template <>
inline constexpr Dtype dtype_of<float> = Dtype::f32;
template <>
inline constexpr Dtype dtype_of<double> = Dtype::f64;

/// One array of a file: a view into the mapping, row-major.
struct ArrayView {
  Dtype dtype{};
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;
  int64_t count() const;  // of elements
  /// The elements as T; Error if the dtype is a different one.
  template <class T>
  std::span<const T> as(const std::string& what = "array") const {
    if (dtype != dtype_of<T>) fail(what, ": dtype is ", dtype_name(dtype), ", expected ", dtype_name(dtype_of<T>));
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

/// A mapped file. Opening checks header, offsets and file size: a truncated file is an Error naming it.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::string& path);
  const std::string& path() const { return path_; }
  const std::map<std::string, ArrayView>& arrays() const { return arrays_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  bool contains(const std::string& name) const { return arrays_.count(name) > 0; }
  /// Error naming file and array if it is missing.
  const ArrayView& at(const std::string& name) const;

 private:
  std::string path_;
  std::shared_ptr<const void> mapping_;
  std::map<std::string, ArrayView> arrays_;
  std::map<std::string, std::string> metadata_;
};

/// An array to be written; its bytes are read when write_safetensors runs.
struct ArrayToWrite {
  std::string name;
  Dtype dtype{};
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;
};
template <class T>
ArrayToWrite array(std::string name, std::span<const T> values, std::vector<int64_t> shape) {
  return {std::move(name), dtype_of<T>, std::move(shape), std::as_bytes(values)};
}
/// Writes atomically. The data begin at a multiple of 64 bytes, wider elements first and otherwise in the given order:
/// the format allows no gaps between arrays, and so each is aligned to its element type.
void write_safetensors(const std::string& path, const std::vector<ArrayToWrite>& arrays,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace bigdna::io
