#include "genome/bigwig.h"

#define NOCURL  // files on disk only, so that the header does not need curl's
#include <bigWig.h>
extern "C" {
#include <bwCommon.h>
}
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "io/output.h"

namespace bigdna::genome {

namespace {
constexpr int kZoomLevels = 10;
constexpr size_t kBuffer = 4096;  // intervals passed to the library together

struct Close {
  void operator()(bigWigFile_t* file) const {
    file->isWrite = 0;  // commit() finalises; a file that is discarded needs no index
    bwClose(file);
  }
};
using Handle = std::unique_ptr<bigWigFile_t, Close>;

/// The file that libBigWig writes to. The library overruns its buffers after a failed write, so it is told that every
/// write succeeds; after a failure nothing more is written, and `error` holds the cause. As it reads back what it wrote
/// to make zoom levels, and trusts that too, the rest is kept until the failure is reported.
struct Sink {
  int fd = -1, error = 0;
  off64_t at = 0;
  std::vector<std::pair<off64_t, std::string>> kept = {};  // by offset, in the order of writing
};

ssize_t write_sink(void* cookie, const char* data, size_t size) {
  Sink& sink = *static_cast<Sink*>(cookie);
  size_t done = 0;
  while (done < size && !sink.error) {
    const ssize_t written = pwrite(sink.fd, data + done, size - done, sink.at + static_cast<off64_t>(done));
    if (written > 0)
      done += static_cast<size_t>(written);
    else if (written == 0 || errno != EINTR)
      sink.error = written == 0 ? EIO : errno;
  }
  if (done < size)
    sink.kept.emplace_back(sink.at + static_cast<off64_t>(done), std::string(data + done, size - done));
  sink.at += static_cast<off64_t>(size);
  return static_cast<ssize_t>(size);
}

ssize_t read_sink(void* cookie, char* data, size_t size) {
  Sink& sink = *static_cast<Sink*>(cookie);
  ssize_t got;
  do got = pread(sink.fd, data, size, sink.at);
  while (got < 0 && errno == EINTR);
  for (const auto& [offset, bytes] : sink.kept) {
    const off64_t first = std::max(sink.at, offset),
                  end = std::min(sink.at + static_cast<off64_t>(size), offset + static_cast<off64_t>(bytes.size()));
    if (first >= end) continue;
    got = std::max<ssize_t>(got, 0);
    if (first - sink.at > got) std::fill(data + got, data + (first - sink.at), 0);
    std::copy_n(bytes.data() + (first - offset), end - first, data + (first - sink.at));
    got = std::max<ssize_t>(got, end - sink.at);
  }
  if (got > 0) sink.at += got;
  return got;
}

int seek_sink(void* cookie, off64_t* offset, int whence) {
  Sink& sink = *static_cast<Sink*>(cookie);
  if (whence == SEEK_END) return -1;
  sink.at = *offset += whence == SEEK_CUR ? sink.at : 0;
  return 0;
}

int close_sink(void* cookie) { return close(static_cast<Sink*>(cookie)->fd); }
}  // namespace

struct BigWigWriter::State {
  io::AtomicFile file;
  Sink sink;
  Handle bigwig;
  std::vector<Contig> contigs;
  std::unordered_map<std::string, size_t> numbers;
  size_t contig = 0;   // of the interval last added
  int64_t end = 0;     // of that interval
  bool open = false;   // a block of this contig has been begun
  uint64_t bases = 0;  // covered
  std::vector<uint32_t> starts, ends;
  std::vector<float> values;

  explicit State(const std::string& path) : file(path) {}

  void check(int failed) const {
    if (sink.error || failed) io::fail_writing(file.path(), sink.error);
  }
  void open_bigwig() {
    bigwig.reset(bwOpen(file.temporary().c_str(), nullptr, "w"));
    check(!bigwig);
    FILE*& stream = bigwig->URL->x.fp;
    sink.fd = dup(fileno(stream));
    FILE* const redirected =
        sink.fd < 0 ? nullptr : fopencookie(&sink, "w+", {read_sink, write_sink, seek_sink, close_sink});
    check(!redirected);
    std::fclose(std::exchange(stream, redirected));
  }
  void flush() {
    if (starts.empty()) return;
    const auto count = static_cast<uint32_t>(starts.size());
    if (open) {
      check(bwAppendIntervals(bigwig.get(), starts.data(), ends.data(), values.data(), count));
    } else {
      const std::vector<const char*> names(count, contigs[contig].name.c_str());
      check(bwAddIntervals(bigwig.get(), names.data(), starts.data(), ends.data(), values.data(), count));
    }
    open = true;
    starts.clear();
    ends.clear();
    values.clear();
  }
};

BigWigWriter::BigWigWriter(const std::string& path, const std::vector<Contig>& contigs)
    : state_(std::make_unique<State>(path)) {
  State& s = *state_;
  s.contigs = contigs;
  if (contigs.empty()) fail(path, ": a bigWig file needs at least one contig");
  std::vector<const char*> names;
  std::vector<uint32_t> lengths;
  for (const auto& contig : s.contigs) {
    if (contig.length > std::numeric_limits<uint32_t>::max())
      fail(path, ": ", contig.name, " is too long for a bigWig file (", contig.length, " bp)");
    s.numbers.emplace(contig.name, names.size());
    names.push_back(contig.name.c_str());
    lengths.push_back(static_cast<uint32_t>(contig.length));
  }
  s.open_bigwig();
  s.check(bwCreateHdr(s.bigwig.get(), kZoomLevels));
  s.bigwig->cl = bwCreateChromList(names.data(), lengths.data(), static_cast<int64_t>(names.size()));
  s.check(!s.bigwig->cl);
  s.check(bwWriteHdr(s.bigwig.get()));
}
BigWigWriter::~BigWigWriter() = default;
BigWigWriter::BigWigWriter(BigWigWriter&&) noexcept = default;

void BigWigWriter::add(const std::string& contig, int64_t start, int64_t end, float value) {
  State& s = *state_;
  const auto bad = [&](const auto&... cause) {
    fail(s.file.path(), ": ", contig, ":", start, "-", end, " (0-based): ", cause...);
  };
  if (s.contigs[s.contig].name != contig) {
    const auto found = s.numbers.find(contig);
    if (found == s.numbers.end()) bad("no such contig");
    if (found->second < s.contig)
      bad("comes after ", s.contigs[s.contig].name, ": sort in the order of the genome's contigs");
    s.flush();
    s.contig = found->second;
    s.end = 0;
    s.open = false;
  }
  if (start < 0 || end <= start || end > s.contigs[s.contig].length) bad("not an interval of this contig");
  if (start < s.end) bad("overlaps or comes before the interval that ends at ", s.end);
  if (!std::isfinite(value)) bad("the value is not a finite number");
  s.starts.push_back(static_cast<uint32_t>(start));
  s.ends.push_back(static_cast<uint32_t>(end));
  s.values.push_back(value);
  s.end = end;
  s.bases += static_cast<uint64_t>(end - start);
  if (s.starts.size() == kBuffer) s.flush();
}

void BigWigWriter::commit() {
  State& s = *state_;
  s.flush();
  bwFinalize(s.bigwig.get());  // also fails for a file without values, which is valid
  s.bigwig.reset();
  s.check(0);
  const Handle again(bwOpen(s.file.temporary().c_str(), nullptr, "r"));
  if (!again || again->hdr->nBasesCovered != s.bases)
    fail(s.file.path(), ": the file that was written is damaged");
  s.file.commit();
}

struct BigWigReader::State {
  std::string path;
  Handle bigwig;
};

BigWigReader::BigWigReader(const std::string& path) : state_(std::make_unique<State>()) {
  state_->path = path;
  std::error_code error;  // libBigWig would take a URL
  if (!std::filesystem::exists(path, error)) fail(path, ": No such file or directory");
  if (!bwIsBigWig(path.c_str(), nullptr)) fail(path, ": is not a bigWig file");
  state_->bigwig.reset(bwOpen(path.c_str(), nullptr, "r"));
  if (!state_->bigwig) fail(path, ": is a damaged bigWig file");
}
BigWigReader::~BigWigReader() = default;
BigWigReader::BigWigReader(BigWigReader&&) noexcept = default;

std::vector<Contig> BigWigReader::contigs() const {
  const auto* list = state_->bigwig->cl;
  std::vector<Contig> contigs;
  for (int64_t i = 0; i < list->nKeys; ++i) contigs.push_back({list->chrom[i], list->len[i]});
  return contigs;
}

std::vector<BigWigReader::Interval> BigWigReader::intervals(const std::string& contig, int64_t start,
                                                            int64_t end) const {
  bigWigFile_t* file = state_->bigwig.get();
  std::vector<Interval> result;
  const uint32_t number = bwGetTid(file, contig.c_str());
  if (number == std::numeric_limits<uint32_t>::max()) return result;
  if (file->hdr->nBasesCovered == 0) return result;  // such a file has no index to search
  start = std::max<int64_t>(start, 0);
  end = std::min<int64_t>(end, file->cl->len[number]);
  if (start >= end) return result;
  auto* found = bwGetOverlappingIntervals(file, contig.c_str(), static_cast<uint32_t>(start),
                                          static_cast<uint32_t>(end));
  if (!found) return result;
  for (uint32_t i = 0; i < found->l; ++i) result.push_back({found->start[i], found->end[i], found->value[i]});
  bwDestroyOverlappingIntervals(found);
  return result;
}

}  // namespace bigdna::genome
