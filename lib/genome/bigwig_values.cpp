#include "genome/bigwig_values.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/error.h"
#include "io/paths.h"
#include "io/write_all.h"

namespace bigdna::genome {

namespace {
constexpr uint32_t kMagic = 0x888ffc26, kSwappedMagic = 0x26fc8f88, kContigMagic = 0x78ca8c91, kIndexMagic = 0x2468ace0;
constexpr size_t kHeader = 64, kTreeHeader = 32, kIndexHeader = 48, kNodeHeader = 4, kContigBytes = 8;
constexpr size_t kLeafBytes = 32, kInnerBytes = 24, kBlockHeader = 24;
constexpr int kDeepest = 64;  // levels of a tree
constexpr uint32_t kLongestKey = 1 << 16, kMostContigs = 1 << 24, kLargestBlock = 1 << 28;

/// How a block lists its intervals, by the number in its header.
struct Layout {
  size_t bytes;             // of one interval
  bool has_start, has_end;  // otherwise they follow from the header's step and span
} constexpr kLayouts[] = {{}, {12, true, true}, {8, true, false}, {4, false, false}};

class BigWigFile {
 public:
  explicit BigWigFile(const std::string& path) : path_(path) {
    if (path == "-") fail("stdin: a bigWig file needs random access: name a file on disk");
    if (path.find("://") != path.npos) fail(path, ": remote files are not read: download it first");
    fd_ = open(io::openable(path).c_str(), O_RDONLY | O_CLOEXEC);
    if (fd_ < 0) fail(path, ": ", errno_text(errno));
    struct stat info {};
    if (fstat(fd_, &info) != 0 || !S_ISREG(info.st_mode)) {
      close(fd_);
      fail(path, ": a bigWig file needs random access: name a file on disk");
    }
    size_ = static_cast<uint64_t>(info.st_size);
  }
  ~BigWigFile() { close(fd_); }
  BigWigFile(const BigWigFile&) = delete;
  uint64_t size() const { return size_; }
  const std::string& path() const { return path_; }
  /// Error if the file has not these bytes.
  std::string read(uint64_t offset, uint64_t bytes) const {
    std::string text;
    read(offset, bytes, text);
    return text;
  }
  void read(uint64_t offset, uint64_t bytes, std::string& to) const {
    if (offset > size_ || bytes > size_ - offset) fail_truncated();
    to.resize(bytes);
    if (const int cause = io::read_all(fd_, to, static_cast<off_t>(offset))) fail(path_, ": ", errno_text(cause));
  }
  [[noreturn]] void fail_truncated() const { fail(path_, ": is a truncated or damaged bigWig file"); }

 private:
  const std::string& path_;
  int fd_ = -1;
  uint64_t size_ = 0;
};

template <class T>
T number_at(std::string_view bytes, size_t at, bool swapped) {
  char raw[sizeof(T)];
  std::memcpy(raw, bytes.data() + at, sizeof raw);
  if (swapped) std::reverse(std::begin(raw), std::end(raw));
  T value;
  std::memcpy(&value, raw, sizeof value);
  return value;
}
}  // namespace

/// Reads what leads to the blocks.
class BigWigIndex {
 public:
  explicit BigWigIndex(BigWigValues& to) : to_(to), file_(to.path_) {
    const std::string& path = to.path_;
    if (file_.size() < 4) fail(path, ": is not a bigWig file");
    const auto magic = number_at<uint32_t>(file_.read(0, 4), 0, false);
    if (magic != kMagic && magic != kSwappedMagic) fail(path, ": is not a bigWig file");
    to.swapped_ = magic == kSwappedMagic;
    const std::string header = file_.read(0, kHeader);
    to.largest_ = number<uint32_t>(header, 52);
    if (to.largest_ > kLargestBlock) fail_damaged();
    read_contigs(number<uint64_t>(header, 8));
    if (const auto index = number<uint64_t>(header, 24))
      read_blocks(index);  // 0: libBigWig's, of a file without values
    if (number<uint32_t>(file_.read(file_.size() - 4, 4), 0) != kMagic)
      fail(path,
           ": is truncated: the mark at the end of a bigWig file is missing (if it is complete, convert it anew: "
           "bigWigToBedGraph, bedGraphToBigWig)");
  }

 private:
  template <class T>
  T number(std::string_view bytes, size_t at) const {
    return number_at<T>(bytes, at, to_.swapped_);
  }
  [[noreturn]] void fail_damaged() const { file_.fail_truncated(); }

  void read_contigs(uint64_t at) {
    const std::string tree = file_.read(at, kTreeHeader);
    const auto key = number<uint32_t>(tree, 8);
    const auto contigs = number<uint64_t>(tree, 16);
    if (number<uint32_t>(tree, 0) != kContigMagic || key > kLongestKey || contigs > kMostContigs) fail_damaged();
    to_.contigs_.resize(contigs);
    read_contig_node(at + kTreeHeader, key, 0);
    for (const auto& contig : to_.contigs_)
      if (contig.length == 0) fail_damaged();
  }

  void read_contig_node(uint64_t offset, uint32_t key, int depth) {
    if (depth > kDeepest) fail_damaged();
    const std::string header = file_.read(offset, kNodeHeader);
    const size_t entries = number<uint16_t>(header, 2), size = key + kContigBytes;  // also of an inner node's
    const std::string bytes = file_.read(offset + kNodeHeader, entries * size);
    for (size_t at = 0; at < bytes.size(); at += size) {
      if (!header[0]) {
        read_contig_node(number<uint64_t>(bytes, at + key), key, depth + 1);
        continue;
      }
      const auto id = number<uint32_t>(bytes, at + key);
      if (id >= to_.contigs_.size() || to_.contigs_[id].length) fail_damaged();
      to_.contigs_[id] = {std::string(bytes.c_str() + at, strnlen(bytes.c_str() + at, key)),
                          number<uint32_t>(bytes, at + key + 4)};
    }
  }

  void read_blocks(uint64_t at) {
    if (number<uint32_t>(file_.read(at, kIndexHeader), 0) != kIndexMagic) fail_damaged();
    read_block_node(at + kIndexHeader, 0);
  }

  void read_block_node(uint64_t offset, int depth) {
    // A damaged index may lead to a node many times: there are no more nodes or blocks than the file has room for.
    if (depth > kDeepest || ++nodes_ > file_.size() / kNodeHeader) fail_damaged();
    const std::string header = file_.read(offset, kNodeHeader);
    const size_t entries = number<uint16_t>(header, 2), size = header[0] ? kLeafBytes : kInnerBytes;
    const std::string bytes = file_.read(offset + kNodeHeader, entries * size);
    for (size_t at = 0; at < bytes.size(); at += size) {
      const auto child = number<uint64_t>(bytes, at + 16);
      if (!header[0]) {
        read_block_node(child, depth + 1);
        continue;
      }
      const auto stored = number<uint64_t>(bytes, at + 24);
      if (child > file_.size() || stored > file_.size() - child || to_.blocks_.size() > file_.size() / kLeafBytes)
        fail_damaged();
      to_.blocks_.push_back({child, stored});
    }
  }

  BigWigValues& to_;
  BigWigFile file_;
  uint64_t nodes_ = 0;
};

bool begins_bigwig(std::string_view start) {
  constexpr std::string_view kNative("\x26\xFC\x8F\x88"), kSwapped("\x88\x8F\xFC\x26");
  return start == kNative || start == kSwapped;
}

bool is_bigwig(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(io::openable(path), error)) return false;
  std::ifstream file(io::openable(path), std::ios::binary);
  char start[4];
  return file.read(start, sizeof start) && begins_bigwig({start, sizeof start});
}

BigWigValues::BigWigValues(const std::string& path) : path_(path) { BigWigIndex read(*this); }

void BigWigValues::each_block(const std::function<void(std::span<const BigWigValue>)>& take) const {
  const BigWigFile file(path_);
  std::string stored, block;
  std::vector<BigWigValue> values;
  uint32_t contig = 0, reached = 0;  // of the value before
  for (const auto& [offset, bytes] : blocks_) {
    file.read(offset, bytes, stored);
    if (largest_) {
      block.resize(largest_);
      uLongf size = block.size();
      if (uncompress(reinterpret_cast<Bytef*>(block.data()), &size, reinterpret_cast<const Bytef*>(stored.data()),
                     stored.size()) != Z_OK)
        file.fail_truncated();
      block.resize(size);
    } else {
      block.swap(stored);
    }
    if (block.size() < kBlockHeader) file.fail_truncated();
    const auto number = [&]<class T>(size_t at, T) { return number_at<T>(block, at, swapped_); };
    BigWigValue value{number(0, uint32_t{}), number(4, uint32_t{})};
    const auto step = number(12, uint32_t{}), span = number(16, uint32_t{});
    const auto type = static_cast<uint8_t>(block[20]);
    const size_t count = number(22, uint16_t{});
    if (type == 0 || type >= std::size(kLayouts) || value.contig >= contigs_.size()) file.fail_truncated();
    const Layout& layout = kLayouts[type];
    if (block.size() < kBlockHeader + count * layout.bytes) file.fail_truncated();
    if (value.contig != contig) {
      if (value.contig < contig) file.fail_truncated();
      contig = value.contig;
      reached = 0;
    }
    values.clear();
    for (size_t i = 0, at = kBlockHeader; i < count; ++i, at += layout.bytes, value.start += step) {
      if (layout.has_start) value.start = number(at, uint32_t{});
      value.end = layout.has_end ? number(at + 4, uint32_t{}) : value.start + span;
      value.value = number(at + layout.bytes - 4, float{});
      if (value.start >= value.end || value.end > contigs_[contig].length) file.fail_truncated();
      if (std::isnan(value.value)) continue;  // how some programs write that there is none
      if (std::isinf(value.value))
        fail(path_, ": the value at ", contigs_[contig].name, ":", value.start, " (0-based) is infinite");
      if (value.start < reached)
        fail(path_, ": the value at ", contigs_[contig].name, ":", value.start,
             " (0-based) overlaps or precedes the one before it");
      reached = value.end;
      values.push_back(value);
    }
    take(values);
  }
}

}  // namespace bigdna::genome
