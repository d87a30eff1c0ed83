#include "io/lines.h"

#include <fcntl.h>
#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <htslib/hts.h>
#include <htslib/hts_log.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "io/paths.h"
#include "io/xz.h"

namespace bigdna::io {

namespace {
struct CloseBgzf {
  void operator()(BGZF* file) const { bgzf_close(file); }
};
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // UTF-8's
constexpr int kBgzf = 2;                                     // bgzf_compression()

/// Formats that people take for text files, by their first bytes.
struct OtherFormat {
  std::string_view magic;
  const char *what, *remedy;
};
constexpr const char* kDecompress = "gzip, bgzip and xz are read";
constexpr const char* kConvert = "convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)";
constexpr const char* kTwoBit = "convert it to FASTA (twoBitToFa FILE.2bit FILE.fa)";
constexpr const char* kBigBed = "convert it to BED (bigBedToBed FILE.bb FILE.bed)";
constexpr const char* kBigWig =
    "it has values and no intervals; call peaks, or read it, not compressed, as a track (bigdna coverage, dataset "
    "chromatin --tracks)";
constexpr const char* kAlignments =
    "it has reads (bedtools bamtobed writes their intervals, samtools fasta their bases; bigdna coverage and dataset "
    "chromatin --tracks count them)";
constexpr const char* kExport = "save the table as CSV or as tab-separated text";
constexpr OtherFormat kOtherFormats[] = {
    {"BZh", "compressed with bzip2", kDecompress},
    {"\x28\xB5\x2F\xFD", "compressed with zstd", kDecompress},
    {"\x04\x22\x4D\x18", "compressed with lz4", kDecompress},
    {"\x1F\x9D", "compressed with compress", kDecompress},
    {"7z\xBC\xAF", "a 7-zip archive", "unpack it first"},
    {"Rar!", "a RAR archive", "unpack it first"},
    {"PK\x03\x04", "a zip archive or an Excel workbook", "unpack it, or save the table as CSV"},
    {"\xD0\xCF\x11\xE0", "an Excel workbook", kExport},
    {"PAR1", "a Parquet file", kExport},
    {"\x89HDF", "an HDF5 file", kExport},
    {"\x43\x27\x41\x1A", "a .2bit file", kTwoBit},
    {"\x1A\x41\x27\x43", "a .2bit file", kTwoBit},
    {"\xEB\xF2\x89\x87", "a bigBed file", kBigBed},
    {"\x87\x89\xF2\xEB", "a bigBed file", kBigBed},
    {"\x26\xFC\x8F\x88", "a bigWig file", kBigWig},
    {"\x88\x8F\xFC\x26", "a bigWig file", kBigWig},
    {"BAM\x01", "a BAM file", kAlignments},
    {"CRAM\x02", "a CRAM file", kAlignments},
    {"CRAM\x03", "a CRAM file", kAlignments},
    {"\x93NUMPY", "a NumPy array", kExport},
    {"RDX2\n", "a file of R's", kExport},
    {"RDX3\n", "a file of R's", kExport},
    {"\xFF\xFE", "UTF-16 text", kConvert},
    {"\xFE\xFF", "UTF-16 text", kConvert},
};

void refuse_other_formats(const std::string& name, std::string_view start) {
  if (start.starts_with("BZh") && start.substr(4, 6) != "1AY&SY") return;  // "BZh" alone is a name
  for (const auto& format : kOtherFormats)
    if (start.starts_with(format.magic)) fail(name, ": is ", format.what, "; ", format.remedy);
}

/// Of the first bytes of what has been decompressed: Error if it is not text.
void refuse_what_is_no_text(const std::string& name, std::string_view start) {
  refuse_other_formats(name, start);
  if (start.starts_with("\x1F\x8B")) fail(name, ": is compressed with gzip twice");
  if (start.starts_with("BCF\x02")) fail(name, ": is a BCF file; convert it to VCF (bcftools view FILE.bcf)");
  if (start.size() > 262 && start.substr(257, 5) == "ustar") fail(name, ": is a tar archive; unpack it first");
  if (start.substr(0, 4096).find('\0') != start.npos)
    fail(name, ": is not text (it has bytes 0; if it is UTF-16, ", kConvert, ")");
}
}  // namespace

struct LineReader::State {
  std::string path;
  std::unique_ptr<BGZF, CloseBgzf> file;
  std::unique_ptr<XzReader> xz;  // replaces `file` if the file is xz
  std::string buffer = std::string(1 << 18, '\0');
  size_t begin = 0, end = 0;  // the part of the buffer that has not been returned yet
  bool at_end = false;
  int64_t line = 0;

  /// Keeps [begin, end) and appends more to it.
  void fill() {
    std::memmove(buffer.data(), buffer.data() + begin, end - begin);
    end -= begin;
    begin = 0;
    if (end == buffer.size()) buffer.resize(2 * buffer.size());
    if (xz) {
      const size_t read = xz->read(buffer.data() + end, buffer.size() - end);
      at_end = read == 0;
      check_start(read);
      end += read;
      return;
    }
    const ssize_t got = bgzf_read(file.get(), buffer.data() + end, buffer.size() - end);
    if (got < 0) fail(path, ": truncated or damaged ", bgzf_compression(file.get()) ? "gzip data" : "file");
    if (got == 0 && file->no_eof_block) fail(path, ": truncated: the BGZF end marker is missing");
    if (line == 0 && !bgzf_compression(file.get()) && end == 0 && got >= 2 && !buffer.compare(0, 2, "\x1f\x8b"))
      fail(path, ": truncated gzip data");  // too short for htslib to see its header
    at_end = got == 0;
    check_start(static_cast<size_t>(got));
    end += static_cast<size_t>(got);
  }
  void check_start(size_t got) {
    if (line == 0 && end == 0) refuse_what_is_no_text(path, {buffer.data(), got});
  }
};

void CloseInput::operator()(hFILE* file) const { hclose_abruptly(file); }

Input open_any_input(const std::string& path) {
  const std::string name = path == "-" ? "stdin" : path;
  const int fd = path == "-" ? dup(STDIN_FILENO) : open(openable(path).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail(name, ": ", errno_text(errno));
  struct stat info {};
  const bool folder = fstat(fd, &info) == 0 && S_ISDIR(info.st_mode);
  errno = 0;
  Input input(folder ? nullptr : hdopen(fd, "r"));
  if (!input) {
    const int error_number = errno;
    close(fd);
    fail(name, ": ", folder ? "is a folder" : error_number ? errno_text(error_number) : "cannot be read");
  }
  return input;
}

Input open_input(const std::string& path) {
  Input input = open_any_input(path);
  char start[16];
  const ssize_t got = hpeek(input.get(), start, sizeof start);
  refuse_other_formats(path == "-" ? "stdin" : path, {start, got < 0 ? 0 : static_cast<size_t>(got)});
  return input;
}

LineReader::LineReader(const std::string& path, int threads) : LineReader(open_input(path), path, threads) {}

LineReader::LineReader(Input input, const std::string& path, int threads) : state_(std::make_unique<State>()) {
  hts_set_log_level(HTS_LOG_OFF);  // bigdna reports every failure itself
  State& s = *state_;
  s.path = path == "-" ? "stdin" : path;
  if (XzReader::is_xz(input.get())) {
    s.xz = std::make_unique<XzReader>(input.release(), s.path);
    return;
  }
  errno = 0;
  s.file.reset(bgzf_hopen(input.get(), "r"));
  if (!s.file) fail(s.path, ": ", errno ? errno_text(errno) : "cannot be read");
  (void)input.release();  // s.file closes it
  if (bgzf_compression(s.file.get()) == kBgzf) {
    if (bgzf_check_EOF(s.file.get()) == 0) fail(s.path, ": truncated: the BGZF end marker is missing");
    if (threads > 1) bgzf_mt(s.file.get(), threads, 64);
  }
}

LineReader::~LineReader() = default;
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;
const std::string& LineReader::path() const { return state_->path; }
int64_t LineReader::line() const { return state_->line; }

std::optional<std::string_view> LineReader::next() {
  State& s = *state_;
  size_t searched = 0;
  const char* newline = nullptr;
  while (true) {
    const char* from = s.buffer.data() + s.begin;
    const size_t size = s.end - s.begin;
    newline = static_cast<const char*>(std::memchr(from + searched, '\n', size - searched));
    if (newline || s.at_end) break;
    searched = size;
    s.fill();
  }
  const char* from = s.buffer.data() + s.begin;
  if (!newline && s.begin == s.end) return std::nullopt;
  std::string_view text(from, newline ? static_cast<size_t>(newline - from) : s.end - s.begin);
  s.begin += text.size() + (newline ? 1 : 0);
  if (++s.line == 1 && text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (text.ends_with('\r')) text.remove_suffix(1);
  if (text.find('\r') != text.npos)
    fail(s.path, ":", s.line,
         ": carriage returns within the line (line ends of an old Mac? convert them with tr '\\r' '\\n')");
  return text;
}

bool reads_once(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  return path == "-" || (exists(status) && !is_regular_file(status) && !is_directory(status));
}

bool is_current(const std::string& index, const std::string& file) {
  std::error_code error;  // what is in one tar has one time
  const auto written = std::filesystem::last_write_time(exists(index) ? on_disk(index) : index, error);
  return !error && written >= std::filesystem::last_write_time(on_disk(file));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(separator, start), text.size());
    parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

}  // namespace bigdna::io
