#include "genome/bigwig_values.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include "base/error.h"
#include "io/write_all.h"

namespace bigdna::genome {

namespace {
constexpr uint32_t kMagic = 0x888ffc26, kContigMagic = 0x78ca8c91;
constexpr size_t kHeader = 64, kTreeHeader = 32, kNodeHeader = 4, kContigBytes = 8;
constexpr size_t kBlockHeader = 24, kInterval = 12;
constexpr int kDeepest = 8;  // levels of the contigs' tree
constexpr uint32_t kLongestKey = 1 << 16, kMostContigs = 1 << 24;
constexpr uint8_t kBedGraph = 1;  // the type of a block that lists intervals

class File {
 public:
  explicit File(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) fail(path, ": ", errno_text(errno));
  }
  ~File() { close(fd_); }
  File(const File&) = delete;
  /// Whether the file has these bytes.
  bool read(uint64_t offset, std::span<char> bytes) const {
    return offset < uint64_t{1} << 62 && io::read_all(fd_, bytes, static_cast<off_t>(offset)) == 0;
  }
  /// As many bytes as there are, up to `size`.
  size_t read_some(uint64_t offset, char* to, size_t size) const {
    const ssize_t read = pread(fd_, to, size, static_cast<off_t>(offset));
    return read < 0 ? 0 : static_cast<size_t>(read);
  }

 private:
  int fd_;
};

template <class T>
T number_at(std::string_view bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// Adds the contigs of a node of the tree and of those below it; false if the tree is damaged.
bool read_node(const File& file, uint64_t offset, uint32_t key, int depth, std::vector<Contig>& contigs) {
  std::string header(kNodeHeader, '\0');
  if (depth > kDeepest || !file.read(offset, header)) return false;
  const bool leaf = header[0] != 0;
  const size_t entries = number_at<uint16_t>(header, 2), size = key + kContigBytes;  // also of an inner node's
  std::string bytes(entries * size, '\0');
  if (!file.read(offset + kNodeHeader, bytes)) return false;
  for (size_t at = 0; at < bytes.size(); at += size) {
    if (!leaf) {
      if (!read_node(file, number_at<uint64_t>(bytes, at + key), key, depth + 1, contigs)) return false;
      continue;
    }
    const auto number = number_at<uint32_t>(bytes, at + key);
    if (number >= contigs.size() || contigs[number].length) return false;
    contigs[number] = {std::string(bytes.c_str() + at, strnlen(bytes.c_str() + at, key)),
                       number_at<uint32_t>(bytes, at + key + 4)};
  }
  return true;
}
}  // namespace

void BigWigValues::fail_damaged() const { fail(path_, ": is damaged, or not a bigWig file that bigdna wrote"); }

BigWigValues::BigWigValues(const std::string& path) : path_(path) {
  const File file(path);
  std::string header(kHeader, '\0'), tree(kTreeHeader, '\0'), blocks(8, '\0');
  if (!file.read(0, header) || number_at<uint32_t>(header, 0) != kMagic) fail(path, ": is not a bigWig file");
  const auto at = number_at<uint64_t>(header, 8);
  data_ = number_at<uint64_t>(header, 16);
  if (!file.read(at, tree) || !file.read(data_, blocks) || number_at<uint32_t>(tree, 0) != kContigMagic) fail_damaged();
  data_ += blocks.size();
  blocks_ = number_at<uint64_t>(blocks, 0);
  const auto key = number_at<uint32_t>(tree, 8);
  const auto contigs = number_at<uint64_t>(tree, 16);
  if (key > kLongestKey || contigs > kMostContigs) fail_damaged();
  contigs_.resize(contigs);
  if (!read_node(file, at + kTreeHeader, key, 0, contigs_)) fail_damaged();
  for (const auto& contig : contigs_)
    if (contig.length == 0) fail_damaged();
}

void BigWigValues::each(const std::function<void(const BigWigValue&)>& take) const {
  const File file(path_);
  std::string input(1 << 16, '\0'), block(kBlockHeader + size_t{1 << 16} * kInterval, '\0');
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) fail(path_, ": cannot be decompressed: out of memory");
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> ends(&stream, inflateEnd);
  uint64_t at = data_;
  for (uint64_t i = 0; i < blocks_; ++i) {
    inflateReset(&stream);
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = static_cast<uInt>(block.size());
    for (int status = Z_OK; status != Z_STREAM_END;) {
      if (stream.avail_in == 0) {
        stream.next_in = reinterpret_cast<Bytef*>(input.data());
        stream.avail_in = static_cast<uInt>(file.read_some(at, input.data(), input.size()));
        at += stream.avail_in;
        if (stream.avail_in == 0) fail_damaged();
      }
      status = inflate(&stream, Z_NO_FLUSH);
      if (status != Z_OK && status != Z_STREAM_END) fail_damaged();
    }
    const std::string_view bytes(block.data(), block.size() - stream.avail_out);
    if (bytes.size() < kBlockHeader || static_cast<uint8_t>(bytes[20]) != kBedGraph) fail_damaged();
    const auto contig = number_at<uint32_t>(bytes, 0);
    const size_t values = number_at<uint16_t>(bytes, 22);
    if (contig >= contigs_.size() || bytes.size() != kBlockHeader + values * kInterval) fail_damaged();
    for (size_t k = kBlockHeader; k < bytes.size(); k += kInterval)
      take({contig, number_at<uint32_t>(bytes, k), number_at<uint32_t>(bytes, k + 4), number_at<float>(bytes, k + 8)});
  }
}

}  // namespace bigdna::genome
