#include "io/safetensors.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "base/table.h"
#include "base/utf8.h"
#include "io/json.h"
#include "io/mapped_file.h"
#include "io/paths.h"

namespace bigdna::io {

namespace {
struct DtypeRow {
  const char* name;
  size_t size;
};
constexpr std::array<DtypeRow, 13> kDtypes = {{{"U8", 1},
                                               {"I8", 1},
                                               {"U16", 2},
                                               {"I16", 2},
                                               {"U32", 4},
                                               {"I32", 4},
                                               {"U64", 8},
                                               {"I64", 8},
                                               {"F16", 2},
                                               {"BF16", 2},
                                               {"F32", 4},
                                               {"F64", 8},
                                               {"BOOL", 1}}};
constexpr uint64_t kAlignment = 64;

/// A file's bytes, and copies of the arrays that another program's file holds misaligned.
struct Mapping {
  Mapping(int fd, const Extent& extent, const std::string& path) : file(fd, extent.offset, extent.bytes, path) {}
  MappedFile file;
  std::vector<std::unique_ptr<std::byte[]>> copies;
};

std::shared_ptr<Mapping> map_file(const std::string& path) {
  const Extent extent = extent_of(path);
  if (extent.bytes == 0) fail(path, ": is empty");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(extent.file.c_str(), "rbe"), std::fclose);
  if (!file) fail(path, ": ", errno_text(errno));
  return std::make_shared<Mapping>(fileno(file.get()), extent, path);
}

/// Error that names the line of a text that is not UTF-8, as the header must be.
void require_utf8(const std::string& path, std::string_view what, std::string_view text) {
  if (is_utf8(text)) return;
  while (is_utf8(text.substr(0, text.find('\n')))) text.remove_prefix(text.find('\n') + 1);
  fail(path, ": ", what, " '", text.substr(0, text.find('\n')), "' is not UTF-8, which a safetensors file must be");
}

/// Bytes of an array of this shape; nullopt if the product overflows or a dimension is negative.
std::optional<uint64_t> byte_count(const std::vector<int64_t>& shape, Dtype dtype) {
  uint64_t bytes = dtype_size(dtype);
  for (const int64_t dimension : shape)
    if (dimension < 0 || __builtin_mul_overflow(bytes, static_cast<uint64_t>(dimension), &bytes)) return std::nullopt;
  return bytes;
}
}  // namespace

size_t dtype_size(Dtype dtype) { return kDtypes[static_cast<size_t>(dtype)].size; }
const char* dtype_name(Dtype dtype) { return kDtypes[static_cast<size_t>(dtype)].name; }

int64_t ArrayView::count() const {
  int64_t count = 1;
  for (const int64_t dimension : shape) count *= dimension;
  return count;
}

SafetensorsFile::SafetensorsFile(const std::string& path) : path_(path) {
  const auto mapping = map_file(path);
  mapping_ = mapping;
  const std::byte* const file = mapping->file.bytes().data();
  const size_t size = mapping->file.bytes().size();
  uint64_t header_size = 0;
  if (size >= 8) std::memcpy(&header_size, file, 8);
  if (size < 8 || header_size > size - 8) fail(path, ": truncated, or not a safetensors file");
  const auto* text = reinterpret_cast<const char*>(file) + 8;
  const auto header = parse_json<nlohmann::json>({text, header_size}, path + ": not a safetensors file: its header");
  if (!header.is_object()) fail(path, ": not a safetensors file (its header is not a JSON object)");
  const uint64_t data_size = size - 8 - header_size;
  uint64_t last = 0, total = 0;
  try {
    for (const auto& [name, entry] : header.items()) {
      if (name == "__metadata__") {
        metadata_ = entry.get<std::map<std::string, std::string>>();
        continue;
      }
      const auto dtype = entry.at("dtype").get<std::string>();
      const DtypeRow* row = find_row(kDtypes, dtype);
      if (!row) fail(path, ": array '", name, "': dtype ", dtype, " is not supported");
      ArrayView view{static_cast<Dtype>(row - kDtypes.data()), entry.at("shape").get<std::vector<int64_t>>(), {}};
      const auto [begin, end] = entry.at("data_offsets").get<std::pair<uint64_t, uint64_t>>();
      if (begin > end || byte_count(view.shape, view.dtype) != end - begin)
        fail(path, ": array '", name, "': shape and offsets disagree");
      if (end > data_size)
        fail(path, ": truncated: ", size, " bytes, array '", name, "' ends at ", end + 8 + header_size);
      const std::byte* bytes = file + 8 + header_size + begin;
      if (reinterpret_cast<uintptr_t>(bytes) % row->size != 0) {
        auto& copy = mapping->copies.emplace_back(new std::byte[end - begin]);
        std::memcpy(copy.get(), bytes, end - begin);
        bytes = copy.get();
      }
      view.bytes = {bytes, end - begin};
      arrays_.emplace(name, std::move(view));
      last = std::max(last, end);
      total += end - begin;
    }
  } catch (const nlohmann::json::exception&) {
    fail(path, ": not a safetensors file (an entry of its header is malformed)");
  }
  if (last != data_size || total != data_size) fail(path, ": damaged: its size does not match its header");
}

const ArrayView& SafetensorsFile::at(const std::string& name) const {
  const auto found = arrays_.find(name);
  if (found == arrays_.end()) fail(path_, ": has no array '", name, "'");
  return found->second;
}

void write_safetensors(const std::string& path, const std::vector<ArrayToWrite>& arrays,
                       const std::map<std::string, std::string>& metadata) {
  std::vector<const ArrayToWrite*> order;
  for (const auto& array : arrays) order.push_back(&array);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return dtype_size(a->dtype) > dtype_size(b->dtype); });
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  for (const auto& [key, text] : metadata) require_utf8(path, key, text);
  for (const auto& array : arrays) require_utf8(path, "array", array.name);
  if (!metadata.empty()) header["__metadata__"] = metadata;
  uint64_t offset = 0;
  for (const auto* array : order) {
    if (byte_count(array->shape, array->dtype) != array->bytes.size())
      fail(path, ": array '", array->name, "' has ", array->bytes.size(), " bytes, which does not match its shape");
    if (header.contains(array->name)) fail(path, ": two arrays are named '", array->name, "'");
    header[array->name] = {{"dtype", dtype_name(array->dtype)},
                           {"shape", array->shape},
                           {"data_offsets", {offset, offset + array->bytes.size()}}};
    offset += array->bytes.size();
  }
  std::string text = header.dump();
  text.append((kAlignment - (8 + text.size()) % kAlignment) % kAlignment, ' ');
  const uint64_t size = text.size();
  Output output(path);
  output.write(&size, 8);
  output.write(text);
  for (const auto* array : order) output.write(array->bytes.data(), array->bytes.size());
  output.commit();
}

}  // namespace bigdna::io
