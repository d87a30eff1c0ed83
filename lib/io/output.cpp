#include "io/output.h"

#include <fcntl.h>
#include <htslib/bgzf.h>
#include <htslib/hts_log.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "io/paths.h"
#include "io/temporary_file.h"
#include "io/write_all.h"

namespace bigdna::io {

namespace fs = std::filesystem;

namespace {
constexpr size_t kBuffer = 1 << 18;

std::string shown(const std::string& path) { return path == "-" ? "stdout" : path; }

void sync_folder_of(const fs::path& file) {  // makes the rename durable, where the file system can
  const auto folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); fd >= 0) {
    fsync(fd);
    close(fd);
  }
}

/// Syncs a temporary file and renames it; `path` is what the user called it.
void commit_file(TemporaryFile& file, const std::string& target, const std::string& path) {
  if (fsync(file.descriptor()) < 0 && errno != EINVAL && errno != ENOTSUP) fail_writing(path, errno);
  const int error_number = file.rename(target);
  if (error_number == ESTALE) fail(path, ": another process has replaced ", file.path(), ", its temporary file");
  if (error_number) fail_writing(path, error_number);
  sync_folder_of(target);
}
}  // namespace

void fail_writing(const std::string& path, int error_number) {
  if (error_number == EPIPE) throw BrokenPipe();
  fail(shown(path), ": ", error_number ? errno_text(error_number) : "cannot be written");
}

struct Output::State {
  std::string path;  // as the user wrote it
  std::string target;
  TemporaryFile temporary;
  int direct = -1;  // of what is_written_directly(), which has no temporary file
  BGZF* bgzf = nullptr;
  std::string buffer;

  ~State() {
    if (bgzf) bgzf_close(bgzf);
    if (direct >= 0) close(direct);
  }
  int fd() const { return direct >= 0 ? direct : temporary.descriptor(); }
  void write(std::string_view bytes) {
    if (const int error_number = write_all(fd(), bytes)) fail_writing(path, error_number);
  }
  void flush() {
    write(buffer);
    buffer.clear();
  }
  /// BGZF's threads keep their errno to themselves: one more write fails for the same reason.
  [[noreturn]] void fail_compressing() {
    const int own = errno;
    fail_writing(path, own ? own : write_all(fd(), std::string_view(std::string(1 << 16, 0))));
  }
};

bool has_suffix(std::string_view path, std::initializer_list<std::string_view> suffixes) {
  return std::any_of(suffixes.begin(), suffixes.end(), [&](std::string_view suffix) {
    return path.size() >= suffix.size() &&
           strncasecmp(path.data() + path.size() - suffix.size(), suffix.data(), suffix.size()) == 0;
  });
}

bool is_hdf5(std::string_view path) { return has_suffix(path, {".h5", ".hdf5"}); }

std::optional<int> descriptor_of(std::string_view path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    int number = -1;
    const char* const end = path.data() + path.size();
    const auto [at, error] = std::from_chars(path.data() + folder.size(), end, number);
    if (error == std::errc() && at == end && number >= 0) return number;
  }
  return std::nullopt;
}

bool is_written_directly(const std::string& path) {
  struct stat info {};
  return descriptor_of(path) || (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode));
}

Output::Output(std::string path, int threads) : state_(std::make_unique<State>()) {
  hts_set_log_level(HTS_LOG_OFF);  // bigdna reports every failure itself
  State& s = *state_;
  s.path = path == "/dev/stdout" ? "-" : std::move(path);
  if (s.path.empty()) fail("an output file's name is empty");
  if (has_suffix(s.path, {".xz", ".bz2", ".zst", ".lzma", ".lz4", ".zip"}) && !is_written_directly(s.path))
    throw UsageError(concat(s.path, ": bigdna compresses files whose names end in .gz or .bgz, and no others"));
  struct stat info {};
  if (const auto descriptor = descriptor_of(s.path)) {
    s.direct = fcntl(*descriptor, F_DUPFD_CLOEXEC, 3);
  } else if (is_written_directly(s.path)) {
    s.direct = open(s.path.c_str(), O_WRONLY | O_CLOEXEC);
  } else if (stat(s.path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    fail(s.path, ": is a folder");
  } else {
    s.target = behind_links(s.path);
    s.temporary.create(s.target);
  }
  if (s.fd() < 0) fail_writing(s.path, errno);
  if (has_suffix(s.path, {".gz", ".bgz"})) {
    const int own = fcntl(s.fd(), F_DUPFD_CLOEXEC, 3);  // bgzf_close() closes this one; fd() remains for fsync()
    s.bgzf = own < 0 ? nullptr : bgzf_dopen(own, "w");
    if (!s.bgzf) fail_writing(s.path, errno);
    if (threads > 1) bgzf_mt(s.bgzf, threads, 64);
  }
}

Output::~Output() = default;
Output::Output(Output&&) noexcept = default;
Output& Output::operator=(Output&&) noexcept = default;
const std::string& Output::path() const { return state_->path; }

void Output::write(std::string_view bytes) {
  State& s = *state_;
  if (s.bgzf) {
    errno = 0;
    if (bgzf_write(s.bgzf, bytes.data(), bytes.size()) < 0) s.fail_compressing();
    return;
  }
  if (s.buffer.size() + bytes.size() > kBuffer) s.flush();
  if (bytes.size() >= kBuffer)
    s.write(bytes);
  else
    s.buffer.append(bytes);
}

void Output::commit() {
  State& s = *state_;
  if (s.bgzf) {
    errno = 0;
    if (bgzf_close(std::exchange(s.bgzf, nullptr)) < 0) s.fail_compressing();
  } else {
    s.flush();
  }
  if (s.direct < 0) return commit_file(s.temporary, s.target, s.path);
  if (close(std::exchange(s.direct, -1)) < 0) fail_writing(s.path, errno);
}

struct AtomicFile::State {
  std::string path, target;
  TemporaryFile temporary;
};

AtomicFile::AtomicFile(const std::string& path) : state_(std::make_unique<State>()) {
  State& s = *state_;
  if (descriptor_of(path) == STDOUT_FILENO) throw UsageError("this format cannot be written to stdout: name a file");
  if (path.empty()) fail("an output file's name is empty");
  std::error_code ignored;
  if (is_written_directly(path) || fs::is_directory(path, ignored)) fail(path, ": is not a regular file");
  s.path = path;
  s.target = behind_links(path);
  if (s.temporary.create(s.target) < 0) fail_writing(path, errno);  // so that an error is reported now
}
AtomicFile::~AtomicFile() = default;
AtomicFile::AtomicFile(AtomicFile&&) noexcept = default;
const std::string& AtomicFile::path() const { return state_->path; }
const std::string& AtomicFile::temporary() const { return state_->temporary.path(); }

void AtomicFile::commit() { commit_file(state_->temporary, state_->target, state_->path); }

std::FILE* open_to_append(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
  std::FILE* const file = fd < 0 ? nullptr : fdopen(fd, "a");
  if (!file) fail(path, ": ", fd < 0 && errno == ELOOP ? "is a link, and is not followed" : errno_text(errno));
  return file;
}

void write_file(const std::string& path, std::string_view content) {
  Output output(path);
  output.write(content);
  output.commit();
}

std::string as_file_name(std::string text) {
  for (char& c : text)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '.') c = '_';
  return text;
}

std::string read_file(const std::string& path) {
  Bytes bytes(path);
  std::string content, buffer(kBuffer, '\0');
  while (const size_t got = bytes.read(buffer.data(), buffer.size())) content.append(buffer.data(), got);
  return content;
}

}  // namespace bigdna::io
