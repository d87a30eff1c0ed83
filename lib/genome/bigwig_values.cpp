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
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

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
      to_.blocks_.push_back({child, stored, number<uint32_t>(bytes, at), number<uint32_t>(bytes, at + 4)});
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

/// Reads blocks, and checks each by itself.
class BlockReader {
 public:
  explicit BlockReader(const BigWigValues& of) : of_(of), file_(of.path_) {}

  /// The values of a block, which are sorted and of one contig. They stay until another block is read.
  std::span<const BigWigValue> read(const BigWigValues::Block& from) {
    if (from.offset == read_) return values_;
    read_ = 0;  // no block is there
    decompress(from);
    const auto number = [&]<class T>(size_t at, T) { return number_at<T>(block_, at, of_.swapped_); };
    BigWigValue value{number(0, uint32_t{}), number(4, uint32_t{})};
    const auto step = number(12, uint32_t{}), span = number(16, uint32_t{});
    const auto type = static_cast<uint8_t>(block_[20]);
    const size_t count = number(22, uint16_t{});
    if (type == 0 || type >= std::size(kLayouts) || value.contig >= of_.contigs_.size()) file_.fail_truncated();
    const Layout& layout = kLayouts[type];
    if (block_.size() < kBlockHeader + count * layout.bytes) file_.fail_truncated();
    uint32_t reached = 0;  // of the value before
    values_.clear();
    for (size_t i = 0, at = kBlockHeader; i < count; ++i, at += layout.bytes, value.start += step) {
      if (layout.has_start) value.start = number(at, uint32_t{});
      value.end = layout.has_end ? number(at + 4, uint32_t{}) : value.start + span;
      value.value = number(at + layout.bytes - 4, float{});
      if (value.start >= value.end || value.end > of_.contigs_[value.contig].length) file_.fail_truncated();
      if (std::isnan(value.value)) continue;  // how some programs write that there is none
      if (std::isinf(value.value)) fail(where(value), " is infinite");
      if (value.start < reached) fail_order(value);
      reached = value.end;
      values_.push_back(value);
    }
    read_ = from.offset;
    return values_;
  }
  [[noreturn]] void fail_damaged() const { file_.fail_truncated(); }
  [[noreturn]] void fail_order(const BigWigValue& value) const {
    fail(where(value), " overlaps or precedes the one before it");
  }

 private:
  void decompress(const BigWigValues::Block& from) {
    file_.read(from.offset, from.bytes, stored_);
    if (of_.largest_) {
      block_.resize(of_.largest_);
      uLongf size = block_.size();
      if (uncompress(reinterpret_cast<Bytef*>(block_.data()), &size, reinterpret_cast<const Bytef*>(stored_.data()),
                     stored_.size()) != Z_OK)
        file_.fail_truncated();
      block_.resize(size);
    } else {
      block_.swap(stored_);
    }
    if (block_.size() < kBlockHeader) file_.fail_truncated();
  }
  std::string where(const BigWigValue& value) const {
    return concat(of_.path_, ": the value at ", of_.contigs_[value.contig].name, ":", value.start, " (0-based)");
  }

  const BigWigValues& of_;
  const BigWigFile file_;
  uint64_t read_ = 0;  // the offset of the block whose values are there; 0, where the file has its header: none
  std::string stored_, block_;
  std::vector<BigWigValue> values_;
};

void BigWigValues::each_block(const std::function<void(std::span<const BigWigValue>)>& take) const {
  BlockReader reader(*this);
  uint32_t contig = 0, reached = 0;  // of the value before
  for (const Block& block : blocks_) {
    const auto values = reader.read(block);
    if (!values.empty()) {
      const BigWigValue& first = values.front();
      if (first.contig < contig) reader.fail_damaged();
      if (first.contig == contig && first.start < reached) reader.fail_order(first);
      contig = first.contig;
      reached = values.back().end;
    }
    take(values);
  }
}

/// Where a block begins, by its contig's number.
using Place = std::pair<int64_t, int64_t>;
struct BigWigMeans::PlaceOf {
  Place operator()(const BigWigValues::Block& block) const { return {block.contig, block.start}; }
};

BigWigMeans::BigWigMeans(const BigWigValues& values)
    : values_(&values), reader_(std::make_unique<BlockReader>(values)) {
  if (!std::ranges::is_sorted(values.blocks_, {}, PlaceOf())) reader_->fail_damaged();
}
BigWigMeans::~BigWigMeans() = default;
BigWigMeans::BigWigMeans(BigWigMeans&&) noexcept = default;

double BigWigMeans::of(uint32_t contig, int64_t start, int64_t end) {
  const auto& blocks = values_->blocks_;
  // By the blocks' starts alone: libBigWig writes the places of the block before for some.
  auto block = std::ranges::upper_bound(blocks, Place(contig, start), {}, PlaceOf());
  if (block != blocks.begin()) block = std::ranges::lower_bound(blocks, PlaceOf()(*std::prev(block)), {}, PlaceOf());
  double sum = 0;
  int64_t bases = 0;
  for (; block != blocks.end() && PlaceOf()(*block) < Place(contig, end); ++block)
    for (const BigWigValue& value : reader_->read(*block)) {
      const int64_t shared = std::min<int64_t>(end, value.end) - std::max<int64_t>(start, value.start);
      if (value.contig != contig || shared <= 0) continue;
      sum += static_cast<double>(value.value) * static_cast<double>(shared);
      bases += shared;
    }
  return bases ? sum / static_cast<double>(bases) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace bigdna::genome
