#include "genome/bigwig.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "genome/bigwig_trees.h"
#include "io/output.h"
#include "io/write_all.h"

namespace bigdna::genome {

namespace {
constexpr uint32_t kMagic = 0x888ffc26;
constexpr size_t kMostZooms = 10, kHeaderBytes = 64, kZoomHeaderBytes = 24, kSummaryBytes = 40;
constexpr uint32_t kBlockValues = 1024;  // values, or summaries, in a block
constexpr uint32_t kValueBytes = 12, kZoomBytes = 32, kBlockHeaderBytes = 24;
constexpr uint32_t kZoomFactor = 4;  // from one level to the next
constexpr uint32_t kFirstZoom = 10;  // times the mean length of an interval: the first level's reduction
constexpr size_t kBuffer = 1 << 18;

struct Value {
  uint32_t contig = 0, start = 0, end = 0;
  float value = 0;
};

/// A zoom level's summary of the values of up to `reduction` bases, which are those of a contig from a multiple of it.
struct Summary {
  uint32_t contig = 0, start = 0, end = 0, bases = 0;
  float low = 0, high = 0;
  double sum = 0, squares = 0;
};

/// The sums of a file, or of a zoom level's step.
struct Total {
  uint64_t bases = 0;
  double low = 0, high = 0, sum = 0, squares = 0;
  void add(double value, double of_bases) {
    low = bases ? std::min(low, value) : value;
    high = bases ? std::max(high, value) : value;
    bases += static_cast<uint64_t>(of_bases);
    sum += value * of_bases;
    squares += value * value * of_bases;
  }
};

/// Adds a summary, or an interval as one, to a level of `reduction` bases. It is cut where a step ends: its sums are
/// divided by the bases on either side.
void reduce(std::vector<Summary>& level, const Summary& part, uint32_t reduction) {
  for (uint64_t start = part.start; start < part.end;) {
    const uint64_t step = start / reduction * reduction;
    const uint64_t end = std::min<uint64_t>(part.end, step + reduction);
    const double share = static_cast<double>(end - start) / (part.end - part.start);
    if (level.empty() || level.back().contig != part.contig || level.back().start / reduction * reduction != step)
      level.push_back({part.contig, static_cast<uint32_t>(start), 0, 0, part.low, part.high, 0, 0});
    Summary& to = level.back();
    to.end = static_cast<uint32_t>(end);
    to.bases += static_cast<uint32_t>(std::lround(share * part.bases));
    to.low = std::min(to.low, part.low);
    to.high = std::max(to.high, part.high);
    to.sum += share * part.sum;
    to.squares += share * part.squares;
    start = end;
  }
}

Summary summary_of(const Value& v) {
  const double bases = v.end - v.start, value = v.value;
  return {v.contig, v.start, v.end, v.end - v.start, v.value, v.value, value * bases, value * value * bases};
}

/// A zoom level as the header lists it.
struct Zoom {
  uint32_t reduction = 0;
  uint64_t data = 0, index = 0;  // offsets in the file
};
}  // namespace

struct BigWigWriter::State {
  io::AtomicFile file;
  int fd = -1;
  std::string buffer;    // what follows `flushed`
  uint64_t flushed = 0;  // bytes in the file

  std::vector<Contig> contigs;  // the genome's
  std::unordered_map<std::string, size_t> numbers;
  std::vector<BigWigContig> named;  // those that have values, by id
  bool respelt = false;             // the input spells a contig differently
  size_t contig = 0;                // of the interval last added
  int64_t end = 0;                  // of that interval

  std::vector<Value> pending;  // of one contig, for the next block
  std::vector<BigWigBlock> blocks;
  Total total;
  uint64_t values = 0;

  explicit State(const std::string& path) : file(path) {
    fd = open(file.temporary().c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) io::fail_writing(path, errno);
  }
  ~State() {
    if (fd >= 0) close(fd);
  }
  State(const State&) = delete;

  uint64_t at() const { return flushed + buffer.size(); }
  void flush() {
    if (const int cause = io::write_all(fd, buffer)) io::fail_writing(file.path(), cause);
    flushed += buffer.size();
    buffer.clear();
  }
  void write(std::string_view bytes) {
    buffer += bytes;
    if (buffer.size() >= kBuffer) flush();
  }
  /// Compresses and writes a block; its place in the file is added to `block`.
  BigWigBlock write_block(const std::string& bytes, BigWigBlock block) {
    uLongf size = compressBound(bytes.size());
    std::string compressed(size, '\0');
    if (compress(reinterpret_cast<Bytef*>(compressed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                 bytes.size()) != Z_OK)
      fail(file.path(), ": cannot be compressed: out of memory");
    block.offset = at();
    block.bytes = size;
    write(std::string_view(compressed).substr(0, size));
    return block;
  }
  void end_block();
  template <class Take>
  void read_values(Take take);
  Zoom write_zoom(const std::vector<Summary>& level, uint32_t reduction);
  std::vector<Zoom> write_zooms();
  std::string header(const std::vector<Zoom>& zooms, uint64_t tree, uint64_t index) const;
};

void BigWigWriter::State::end_block() {
  if (pending.empty()) return;
  std::string bytes;
  append_bytes(bytes, pending.front().contig);
  append_bytes(bytes, pending.front().start);
  append_bytes(bytes, pending.back().end);
  append_bytes<uint64_t>(bytes, 0);  // steps and spans of other types of blocks
  append_bytes<uint8_t>(bytes, 1);   // bedGraph
  append_bytes<uint8_t>(bytes, 0);
  append_bytes(bytes, static_cast<uint16_t>(pending.size()));
  for (const Value& value : pending) {
    append_bytes(bytes, value.start);
    append_bytes(bytes, value.end);
    append_bytes(bytes, value.value);
  }
  blocks.push_back(write_block(bytes, {pending.front().contig, pending.front().start, pending.back().end}));
  values += pending.size();
  pending.clear();
}

/// Gives `take` all values in the order of the file, a block at a time in memory.
template <class Take>
void BigWigWriter::State::read_values(Take take) {
  std::string compressed, bytes(kBlockHeaderBytes + kBlockValues * kValueBytes, '\0');
  for (const BigWigBlock& block : blocks) {
    compressed.resize(block.bytes);
    if (const int cause = io::read_all(fd, compressed, static_cast<off_t>(block.offset)))
      fail(file.path(), ": ", errno_text(cause));
    uLongf size = bytes.size();
    if (uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size, reinterpret_cast<const Bytef*>(compressed.data()),
                   compressed.size()) != Z_OK)
      fail(file.path(), ": the file that was written is damaged");
    for (size_t at = kBlockHeaderBytes; at < size; at += kValueBytes) {
      Value value;
      value.contig = block.contig;
      std::memcpy(&value.start, bytes.data() + at, 4);
      std::memcpy(&value.end, bytes.data() + at + 4, 4);
      std::memcpy(&value.value, bytes.data() + at + 8, 4);
      take(value);
    }
  }
}

Zoom BigWigWriter::State::write_zoom(const std::vector<Summary>& level, uint32_t reduction) {
  Zoom zoom{reduction, at(), 0};
  std::string count;
  append_bytes(count, static_cast<uint32_t>(level.size()));
  write(count);
  std::vector<BigWigBlock> index;
  for (size_t first = 0; first < level.size();) {
    std::string bytes;
    size_t end = first;
    for (; end < level.size() && end < first + kBlockValues && level[end].contig == level[first].contig; ++end) {
      const Summary& s = level[end];
      for (const uint32_t number : {s.contig, s.start, s.end, s.bases}) append_bytes(bytes, number);
      for (const double number : {double(s.low), double(s.high), s.sum, s.squares})
        append_bytes(bytes, static_cast<float>(number));
    }
    index.push_back(write_block(bytes, {level[first].contig, level[first].start, level[end - 1].end}));
    first = end;
  }
  zoom.index = at();
  write(block_tree(index, zoom.index, kBlockValues));
  return zoom;
}

/// Levels of summaries until one has no more than a summary for each contig.
std::vector<Zoom> BigWigWriter::State::write_zooms() {
  std::vector<Zoom> zooms;
  if (blocks.empty()) return zooms;
  uint64_t reduction = std::max<uint64_t>(1, total.bases / values) * kFirstZoom;
  std::vector<Summary> level;
  flush();  // for read_values()
  read_values([&](const Value& value) { reduce(level, summary_of(value), static_cast<uint32_t>(reduction)); });
  while (true) {
    zooms.push_back(write_zoom(level, static_cast<uint32_t>(reduction)));
    reduction *= kZoomFactor;
    if (level.size() <= named.size() || zooms.size() == kMostZooms || reduction > std::numeric_limits<int32_t>::max())
      return zooms;
    std::vector<Summary> next;
    for (const Summary& summary : level) reduce(next, summary, static_cast<uint32_t>(reduction));
    level = std::move(next);
  }
}

std::string BigWigWriter::State::header(const std::vector<Zoom>& zooms, uint64_t tree, uint64_t index) const {
  std::string bytes;
  const uint64_t summary = kHeaderBytes + kMostZooms * kZoomHeaderBytes, data = summary + kSummaryBytes;
  append_bytes(bytes, kMagic);
  append_bytes<uint16_t>(bytes, 4);  // the format's version
  append_bytes(bytes, static_cast<uint16_t>(zooms.size()));
  for (const uint64_t offset : {tree, data, index}) append_bytes(bytes, offset);
  append_bytes<uint32_t>(bytes, 0);  // numbers of fields of bigBed files
  append_bytes<uint64_t>(bytes, 0);  // and their description
  append_bytes(bytes, summary);
  append_bytes(bytes, kBlockHeaderBytes + kBlockValues * std::max(kValueBytes, kZoomBytes));  // a block, decompressed
  append_bytes<uint64_t>(bytes, 0);
  for (const Zoom& zoom : zooms) {
    append_bytes(bytes, zoom.reduction);
    append_bytes<uint32_t>(bytes, 0);
    append_bytes(bytes, zoom.data);
    append_bytes(bytes, zoom.index);
  }
  bytes.resize(summary, '\0');
  append_bytes(bytes, total.bases);
  for (const double number : {total.low, total.high, total.sum, total.squares}) append_bytes(bytes, number);
  append_bytes<uint64_t>(bytes, blocks.size());
  return bytes;
}

BigWigWriter::BigWigWriter(const std::string& path, const std::vector<Contig>& contigs)
    : state_(std::make_unique<State>(path)) {
  State& s = *state_;
  s.contigs = contigs;
  if (contigs.empty()) fail(path, ": a bigWig file needs at least one contig");
  for (const auto& contig : s.contigs) {
    if (contig.length > std::numeric_limits<uint32_t>::max())
      fail(path, ": ", contig.name, " is too long for a bigWig file (", contig.length, " bp)");
    s.numbers.emplace(contig.name, s.numbers.size());
  }
  s.write(s.header({}, 0, 0));  // its place
  s.flush();                    // so that an error comes now
}
BigWigWriter::~BigWigWriter() = default;
BigWigWriter::BigWigWriter(BigWigWriter&&) noexcept = default;

TrackOrder::TrackOrder(const std::vector<Contig>& contigs) {
  for (const auto& contig : contigs) places_.emplace(contig.name, places_.size());
}

bool TrackOrder::follows(const std::string& contig, const Region& region) {
  const size_t place = places_.at(contig);
  if (std::pair(place, region.start) < last_) return false;
  last_ = {place, region.end};
  return true;
}

void BigWigWriter::add(const std::string& contig, int64_t start, int64_t end, float value, std::string_view name) {
  State& s = *state_;
  const auto bad = [&](const auto&... cause) {
    fail(s.file.path(), ": ", contig, ":", start, "-", end, " (0-based): ", cause...);
  };
  if (name.empty()) name = contig;
  if (s.named.empty() || s.contigs[s.contig].name != contig) {
    const auto found = s.numbers.find(contig);
    if (found == s.numbers.end()) bad("no such contig");
    if (!s.named.empty() && found->second < s.contig)
      bad("comes after ", s.contigs[s.contig].name, ": sort in the order of the genome's contigs");
    s.end_block();
    s.contig = found->second;
    s.end = 0;
    s.respelt |= name != contig;
    s.named.push_back(
        {std::string(name), static_cast<uint32_t>(s.named.size()), static_cast<uint32_t>(s.contigs[s.contig].length)});
  }
  if (s.named.back().name != name)
    bad("is called ", name, ", and before it ", s.named.back().name, ": a bigWig file has one name for a contig");
  if (start < 0 || end <= start || end > s.contigs[s.contig].length) bad("not an interval of this contig");
  if (start < s.end) bad("overlaps or comes before the interval that ends at ", s.end);
  if (!std::isfinite(value)) bad("the value is not a finite number");
  s.pending.push_back({s.named.back().id, static_cast<uint32_t>(start), static_cast<uint32_t>(end), value});
  s.end = end;
  s.total.add(value, static_cast<double>(end - start));
  if (s.pending.size() == kBlockValues) s.end_block();
}

void BigWigWriter::commit() {
  State& s = *state_;
  s.end_block();
  const uint64_t index = s.at();
  s.write(block_tree(s.blocks, index, kBlockValues));
  const auto zooms = s.write_zooms();
  auto listed = s.named;
  if (!s.respelt) {  // the others, which have no values
    std::unordered_map<std::string_view, bool> has_values;
    for (const auto& contig : s.named) has_values.emplace(contig.name, true);
    for (const auto& contig : s.contigs)
      if (!has_values.contains(contig.name))
        listed.push_back({contig.name, static_cast<uint32_t>(listed.size()), static_cast<uint32_t>(contig.length)});
  }
  const uint64_t tree = s.at();
  s.write(contig_tree(std::move(listed), tree));
  std::string magic;
  append_bytes(magic, kMagic);
  s.write(magic);
  s.flush();
  const std::string header = s.header(zooms, tree, index);
  if (lseek(s.fd, 0, SEEK_SET) < 0) io::fail_writing(s.file.path(), errno);
  if (const int cause = io::write_all(s.fd, header)) io::fail_writing(s.file.path(), cause);
  if (close(std::exchange(s.fd, -1)) < 0) io::fail_writing(s.file.path(), errno);
  s.file.commit();
}

}  // namespace bigdna::genome
