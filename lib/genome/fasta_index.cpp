#include "genome/fasta_index.h"

#include <htslib/bgzf.h>
#include <htslib/faidx.h>
#include <htslib/hts_log.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <unordered_set>

#include "base/error.h"
#include "base/log.h"
#include "genome/bgzf_index.h"
#include "genome/fasta.h"
#include "io/bgzf.h"
#include "io/lines.h"
#include "io/manifest.h"
#include "io/paths.h"
#include "io/temporary_file.h"
#include "io/xz.h"

namespace bigdna::genome {

namespace fs = std::filesystem;

namespace {
using Bgzf = std::unique_ptr<BGZF, int (*)(BGZF*)>;

[[noreturn]] void fail_twice(const std::string& path, const std::string& name) {
  fail(path, ": two sequences are named ", name);
}

Bgzf open_bgzf(const std::string& path) {
  errno = 0;
  Bgzf file(bgzf_open(io::openable(path).c_str(), "r"), bgzf_close);
  if (!file) fail(path, ": ", why_not_opened("cannot be read"));
  return file;
}

/// bgzf_compression() of the file: 0 plain, 2 BGZF. Error if it is plain gzip or not a FASTA file.
int check_fasta(const std::string& path) {
  if (!io::is_file(path) && io::exists(path) && !io::is_folder(path))
    fail(path, ": is not a regular file, which random access needs");
  FastaReader reader(path);  // missing, empty, not FASTA, no BGZF end marker
  if (io::XzReader::is_xz(io::open_input(path).get()))
    fail(path, ": is compressed with xz, and random access needs BGZF: xz -dc ", path, " | bgzip > FILE.gz");
  const Bgzf file = open_bgzf(path);
  const int compression = bgzf_compression(file.get());
  if (bgzf_peek(file.get()) == 0xEF) fail(path, ": begins with a byte order mark, which random access cannot skip");
  if (compression == 1)
    fail(path, ": is plain gzip, and random access needs BGZF: gunzip -c ", path, " | bgzip > FILE.gz");
  return compression;
}

/// The file's name in a cache: it depends on path, size and time, so that no other file shares it.
std::string cached_name(const fs::path& fasta) {
  const fs::path file = io::on_disk(fasta);  // of a FASTA in a tar, the tar
  const std::string key = concat(fs::canonical(file).string(), '\n', io::extent_of(fasta).bytes, '\n',
                                 fs::last_write_time(file).time_since_epoch().count());
  return io::md5_of_bytes(key) + "." + fasta.filename().string();
}

/// htslib would leave out the second sequence of the same name.
void check_names(const std::string& path) {
  FastaReader reader(path, InvalidBases::n, 2);
  std::unordered_set<std::string> names;
  while (const auto record = reader.next())
    if (!names.insert(record->name).second) fail_twice(path, record->name);
}

/// htslib does not give the cause, so this reads the whole file to find it.
[[noreturn]] void fail_to_index(const std::string& path) {
  FastaReader reader(path);
  std::optional<FastaRecord> last;
  while (auto record = reader.next()) last = std::move(record);
  if (last && last->bases.empty()) fail(path, ": sequence ", last->name, " is empty");
  fail(path, ": cannot be indexed for random access: lines of a sequence differ in length, or a line has no name");
}

/// Builds the index under temporary names and renames it, .gzi first; several processes may do so at once. Returns why
/// it cannot be written, 0 if it was. The file itself is at fault in an Error.
int build(const std::string& path, const FastaIndex& index) {
  io::TemporaryFile fai, gzi;
  const bool bgzf = !index.gzi.empty();
  if (fai.create(index.fai) < 0 || (bgzf && gzi.create(index.gzi) < 0)) return errno;
  errno = 0;
  if (fai_build3(io::openable(path).c_str(), fai.path().c_str(), bgzf ? gzi.path().c_str() : nullptr) != 0) {
    const int cause = errno;
    for (const int not_the_files : {ENOSPC, EDQUOT, EFBIG, EIO, EMFILE, ENFILE, ENOMEM})
      if (cause == not_the_files) return cause;
    fail_to_index(path);
  }
  if (const int cause = bgzf ? gzi.rename(index.gzi) : 0) return cause;
  return fai.rename(index.fai);
}
}  // namespace

std::vector<io::UserCache> index_caches() { return io::user_caches("fai"); }

FastaIndex find_or_build_index(const std::string& path) {
  hts_set_log_level(HTS_LOG_OFF);
  const bool bgzf = check_fasta(path) == 2;
  const auto names = [&](const std::string& base) { return FastaIndex{base + ".fai", bgzf ? base + ".gzi" : ""}; };
  const auto usable = [&](const FastaIndex& index) {
    std::error_code error;
    return io::is_current(index.fai, path) && !fs::is_empty(index.fai, error) && !error &&
           (!bgzf || io::is_current(index.gzi, path));
  };
  const FastaIndex beside = names(path);
  if (usable(beside)) return beside;
  const auto caches = index_caches();
  const std::string name = cached_name(path);
  for (const auto& cache : caches)
    if (const FastaIndex cached = names(cache.path + "/" + name); !cache.refused() && usable(cached)) return cached;
  check_names(path);
  if (bgzf) io::require_bgzf(path);
  std::string tried;
  const auto built = [&](const fs::path& folder, const FastaIndex& index, int cause = 0) {
    if (!cause && access(folder.c_str(), W_OK) != 0) cause = errno;
    if (!cause) {
      log::verbose(path, ": building its index in ", folder.string());
      cause = build(path, index);
    }
    if (cause)
      tried += concat(tried.empty() ? "next to it" : " or in " + folder.string(), " (", errno_text(cause), ")");
    return cause == 0;
  };
  if (built(fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path("."), beside)) return beside;
  for (const auto& cache : caches)
    if (const FastaIndex cached = names(cache.path + "/" + name);
        built(cache.path, cached, cache.refused(/*make=*/true)))
      return cached;
  fail(path, ": has no index, and none can be written ", tried, ": run samtools faidx ", path,
       ", or set BIGDNA_CACHE or TMPDIR to a folder that can be written");
}

std::vector<IndexedSequence> read_index(const FastaIndex& index) {
  std::vector<IndexedSequence> sequences;
  std::unordered_set<std::string> names;
  io::LineReader fai(index.fai);
  while (const auto line = fai.next()) {
    const auto columns = io::split(*line);
    IndexedSequence sequence;
    const auto read = [&](size_t column, int64_t& value) {
      if (column >= columns.size()) return false;
      const char* end = columns[column].data() + columns[column].size();
      const auto [at, error] = std::from_chars(columns[column].data(), end, value);
      return error == std::errc() && at == end && value >= 0;
    };
    if (!read(1, sequence.length) || !read(2, sequence.offset) || !read(3, sequence.line_bases) ||
        !read(4, sequence.line_bytes) || (sequence.length > 0 && sequence.line_bases == 0))
      fail(fai.path(), ":", fai.line(), ": is not a line of a FASTA index");
    sequence.name = columns[0];
    if (!names.insert(sequence.name).second)
      fail(fai.path(), ":", fai.line(), ": two sequences are named ", sequence.name);
    sequences.push_back(std::move(sequence));
  }
  return sequences;
}

namespace {
/// The offset behind a sequence's last base.
int64_t end_of(const IndexedSequence& sequence) {
  const int64_t last = sequence.length - 1;
  return sequence.offset + last / sequence.line_bases * sequence.line_bytes + last % sequence.line_bases + 1;
}
}  // namespace

struct FastaLayout::State {
  std::string path, fai;
  Bgzf file;
  std::optional<BgzfIndex> blocks;

  void go_to(int64_t offset) {
    if (blocks) blocks->check(offset);
    if (bgzf_useek(file.get(), offset, SEEK_SET) != 0) fail(path, ": cannot be read at byte ", offset);
  }
  int next() {
    const int byte = bgzf_getc(file.get());
    if (byte < -1) fail(path, ": truncated or damaged");
    return byte;
  }
  /// Goes on to the next header, past what precedes it, and to the end of its line. Its name; `at`, which is the
  /// offset of the next byte, is moved there. nullopt at the end of the file.
  std::optional<std::string> next_header(int64_t& at) {
    const auto read = [&] { return ++at, next(); };
    int byte = read();
    for (bool line_begins = true; byte >= 0 && !(line_begins && byte == '>'); byte = read())
      line_begins = byte == '\n' || (line_begins && is_blank(byte));
    if (byte < 0) return std::nullopt;
    for (byte = read(); byte == ' ' || byte == '\t';) byte = read();
    std::string name;
    for (; byte >= 0 && !is_blank(byte); byte = read()) name += static_cast<char>(byte);
    while (byte >= 0 && byte != '\n') byte = read();
    return name;
  }
  /// The name in the header line that ends where a sequence's bases begin; "" if there is no such line.
  std::string name_before(int64_t offset) {
    for (int64_t back = 256;; back *= 4) {
      const int64_t from = std::max<int64_t>(0, offset - back);
      go_to(from);
      std::string text(static_cast<size_t>(offset - from), '\0');
      if (bgzf_read(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) return "";
      const size_t end = text.find_last_not_of(" \t\n\v\f\r");
      if (end == text.npos && from > 0) continue;
      const size_t line_end = end == text.npos ? text.npos : text.rfind('\n', end);
      if (line_end == text.npos && from > 0) continue;
      const size_t begin = end == text.npos ? text.size() : line_end == text.npos ? 0 : line_end + 1;
      if (begin >= text.size() || text[begin] != '>') return "";
      const size_t name = std::min(text.find_first_not_of(" \t", begin + 1), text.size());
      return text.substr(name, text.find_first_of(" \t\n\v\f\r", name) - name);
    }
  }
  static bool is_blank(int byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }
};

FastaLayout::FastaLayout(const std::string& path, const FastaIndex& index)
    : state_(new State{path, index.fai, open_bgzf(path), {}}) {
  if (index.gzi.empty()) return;
  state_->blocks.emplace(index.gzi, path);
  state_->blocks->check_end();
  errno = 0;
  if (bgzf_index_load(state_->file.get(), io::openable(index.gzi).c_str(), nullptr) != 0)
    fail(index.gzi, ": ", why_not_opened("cannot be read as the index of " + path));
}

FastaLayout::~FastaLayout() = default;

void FastaLayout::check_extent(const IndexedSequence& sequence) {
  if (sequence.length == 0) return;
  const int64_t bytes =
      state_->blocks ? state_->blocks->most_bytes() : static_cast<int64_t>(io::extent_of(state_->path).bytes);
  const auto lines = static_cast<double>(sequence.length / sequence.line_bases);
  const bool fits =
      std::ranges::all_of(std::array{sequence.length, sequence.offset, sequence.line_bases, sequence.line_bytes},
                          [&](int64_t number) { return number <= bytes; });
  if (!fits || lines * static_cast<double>(sequence.line_bytes) > static_cast<double>(kMostPosition))
    fail(state_->fai, ": is not the index of ", state_->path, ": sequence ", sequence.name,
         " would go on past the end of the file; remove it, and bigdna builds a new one");
}

void FastaLayout::check_seek(const IndexedSequence& sequence, int64_t start) {
  if (state_->blocks)
    state_->blocks->check(sequence.offset + start / sequence.line_bases * sequence.line_bytes +
                          start % sequence.line_bases);
}

void FastaLayout::refuse_repeated_names(const std::vector<IndexedSequence>& sequences) {
  State& s = *state_;
  std::vector<const IndexedSequence*> ordered;
  std::unordered_set<std::string_view> names;
  for (const auto& sequence : sequences) {
    ordered.push_back(&sequence);
    names.insert(sequence.name);
  }
  std::ranges::sort(ordered, {}, &IndexedSequence::offset);
  for (size_t i = 0; i < ordered.size(); ++i) {
    const IndexedSequence& sequence = *ordered[i];
    if (sequence.length == 0) continue;
    const IndexedSequence* const next = i + 1 < ordered.size() ? ordered[i + 1] : nullptr;
    const int64_t ends = end_of(sequence), line_end = sequence.line_bytes - sequence.line_bases;
    const auto header = [&] { return 1 + static_cast<int64_t>(next->name.size()) + line_end; };
    if (next && next->offset - ends <= line_end + header()) continue;
    try {
      s.go_to(ends);
    } catch (const Error&) {
      continue;  // the index does not fit the file: holds() says so if the sequence is read
    }
    for (int64_t at = ends; !next || at < next->offset;) {  // each header up to the next sequence's bases
      const auto found = s.next_header(at);
      if (!found) break;
      const bool is_next = next && (*found == next->name || at == next->offset);  // whose name holds() compares
      if (names.contains(*found) && !is_next) fail_twice(s.path, *found);
    }
  }
}

bool FastaLayout::holds(const IndexedSequence& sequence, const std::unordered_map<std::string, IndexedSequence>& all) {
  State& s = *state_;
  if (sequence.length == 0) return true;
  if (const auto name = s.name_before(sequence.offset); name != sequence.name)
    fail(s.fai, ": is not the index of ", s.path, ": where it has sequence ", sequence.name, ", the file has ",
         name.empty() ? "no header" : name, "; remove it, and bigdna builds a new one");
  s.go_to(sequence.offset + sequence.line_bases);  // the rest of the first line
  for (int64_t i = sequence.line_bases; i < sequence.line_bytes; ++i) {
    const int byte = s.next();
    if (byte < 0) break;
    if (!State::is_blank(byte)) return false;
  }
  int64_t at = end_of(sequence);
  if (!s.blocks && at > static_cast<int64_t>(io::extent_of(s.path).bytes)) return false;
  s.go_to(at);
  int byte = s.next();
  while (State::is_blank(byte)) ++at, byte = s.next();
  if (byte != '>') return byte < 0;
  s.go_to(at);
  const std::string name = s.next_header(at).value();
  const auto found = all.find(name);
  if (found == all.end()) {
    for (byte = s.next(); State::is_blank(byte);) byte = s.next();
    if (byte < 0 || byte == '>') return true;  // it has no bases, so htslib leaves it out
    fail(s.fai, ": lacks sequence ", name, " of ", s.path, ": remove it, and bigdna builds a new one");
  }
  return found->second.offset == at;
}

}  // namespace bigdna::genome
