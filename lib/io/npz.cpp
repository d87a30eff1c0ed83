#include "io/npz.h"

#include <zlib.h>

#include <limits>

#include "base/error.h"
#include "io/output.h"

namespace bigdna::io {
namespace {

/// Little-endian numbers of zip's records (APPNOTE.TXT 6.3, sections 4.3.7, 4.3.12 and 4.3.16).
class Record {
 public:
  Record& u16(uint64_t value) { return number(value, 2); }
  Record& u32(uint64_t value) { return number(value, 4); }
  Record& text(const std::string& bytes) { return bytes_ += bytes, *this; }
  const std::string& bytes() const { return bytes_; }

 private:
  Record& number(uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
    return *this;
  }
  std::string bytes_;
};

constexpr uint64_t kLocalFile = 0x04034b50, kCentralFile = 0x02014b50, kEnd = 0x06054b50;
constexpr uint64_t kVersion = 20, kFirstDay = 0x21;  // 1 January 1980: the same arrays give the same bytes

/// What both records of a file say of it.
Record about(const std::string& name, uint64_t crc, uint64_t size) {
  return Record().u16(0).u16(0).u16(0).u16(kFirstDay).u32(crc).u32(size).u32(size).u16(name.size()).u16(0);
}

uint64_t crc_of(uint64_t crc, const void* data, size_t size) {
  return crc32_z(static_cast<uLong>(crc), static_cast<const Bytef*>(data), size);
}

}  // namespace

std::string npy_header(std::span<const int64_t> shape) {
  std::string sizes;
  for (const int64_t size : shape) sizes += concat(sizes.empty() ? "" : ", ", size);
  if (shape.size() == 1) sizes += ",";  // a tuple of one
  std::string text = concat("{'descr': '<f4', 'fortran_order': False, 'shape': (", sizes, "), }");
  text.append(63 - (10 + text.size()) % 64, ' ');
  text += '\n';
  const auto size = static_cast<uint16_t>(text.size());
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(size & 0xFF) + static_cast<char>(size >> 8) + text;
}

void write_npz(const std::string& path, const std::vector<NpzArray>& arrays) {
  Output output(path);
  std::string directory;
  uint64_t at = 0;
  for (const NpzArray& array : arrays) {
    const std::string name = array.name + ".npy", header = npy_header(array.shape);
    const auto bytes = std::as_bytes(array.values);
    const uint64_t size = header.size() + bytes.size();
    if (at + size >= std::numeric_limits<uint32_t>::max()) fail(path, ": .npz files of 4 GB or more are not supported");
    const Record both = about(name, crc_of(crc_of(0, header.data(), header.size()), bytes.data(), bytes.size()), size);
    directory += Record()
                     .u32(kCentralFile)
                     .u16(kVersion)
                     .u16(kVersion)
                     .text(both.bytes())
                     .u16(0)
                     .u16(0)
                     .u16(0)
                     .u32(0)
                     .u32(at)
                     .text(name)
                     .bytes();
    const std::string local = Record().u32(kLocalFile).u16(kVersion).text(both.bytes()).text(name).bytes();
    output.write(local);
    output.write(header);
    output.write(bytes.data(), bytes.size());
    at += local.size() + size;
  }
  output.write(directory);
  output.write(Record()
                   .u32(kEnd)
                   .u16(0)
                   .u16(0)
                   .u16(arrays.size())
                   .u16(arrays.size())
                   .u32(directory.size())
                   .u32(at)
                   .u16(0)
                   .bytes());
  output.commit();
}

}  // namespace bigdna::io
