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
#include <utility>

#include "base/error.h"
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
}  // namespace

void fail_writing(const std::string& path, int error_number) {
  if (error_number == EPIPE) throw BrokenPipe();
  fail(shown(path), ": ", error_number ? errno_text(error_number) : "cannot be written");
}

struct Output::State {
  std::string path;       // as the user wrote it
  fs::path target;
  TemporaryFile temporary;  // none for stdout, devices, pipes
  int fd = -1;
  BGZF* bgzf = nullptr;
  std::string buffer;

  ~State() {
    if (bgzf) bgzf_close(bgzf);
    if (fd >= 0) close(fd);
  }
  void write(std::string_view bytes) {
    if (const int error_number = write_all(fd, bytes)) fail_writing(path, error_number);
  }
  void flush() {
    write(buffer);
    buffer.clear();
  }
  /// BGZF's threads keep their errno to themselves: one more write fails for the same reason.
  [[noreturn]] void fail_compressing() {
    const int own = errno;
    fail_writing(path, own ? own : write_all(fd, std::string_view(std::string(1 << 16, 0))));
  }
};

bool has_suffix(std::string_view path, std::initializer_list<std::string_view> suffixes) {
  return std::any_of(suffixes.begin(), suffixes.end(), [&](std::string_view suffix) {
    return path.size() >= suffix.size() &&
           strncasecmp(path.data() + path.size() - suffix.size(), suffix.data(), suffix.size()) == 0;
  });
}

bool is_hdf5(std::string_view path) { return has_suffix(path, {".h5", ".hdf5"}); }

Output::Output(std::string path, int threads) : state_(std::make_unique<State>()) {
  hts_set_log_level(HTS_LOG_OFF);  // bigdna reports every failure itself
  State& s = *state_;
  s.path = path == "/dev/stdout" ? "-" : std::move(path);
  if (s.path == "-") {
    s.fd = dup(STDOUT_FILENO);
    if (s.fd < 0) fail_writing(s.path, errno);
    return;
  }
  if (s.path.empty()) fail("an output file's name is empty");
  struct stat info {};
  const bool exists = stat(s.path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) fail(s.path, ": is a folder");
  if (exists && !S_ISREG(info.st_mode)) {  // a device or a pipe is written to, never replaced
    s.fd = open(s.path.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    std::error_code ignored;
    s.target = fs::is_symlink(s.path, ignored) ? fs::weakly_canonical(s.path) : fs::path(s.path);
    const std::string temporary = temporary_name(s.target);
    s.fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (s.fd >= 0) s.temporary.take(temporary);
  }
  if (s.fd < 0) fail_writing(s.path, errno);
  if (has_suffix(s.path, {".gz"})) {
    const int own = dup(s.fd);  // bgzf_close() closes this one; s.fd remains for fsync()
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
  if (!s.temporary.empty() && fsync(s.fd) < 0 && errno != EINVAL && errno != ENOTSUP) fail_writing(s.path, errno);
  if (close(std::exchange(s.fd, -1)) < 0) fail_writing(s.path, errno);
  if (s.temporary.empty()) return;
  if (rename(s.temporary.path().c_str(), s.target.c_str()) < 0) fail_writing(s.path, errno);
  s.temporary.keep();
  sync_folder_of(s.target);
}

struct AtomicFile::State {
  std::string path, target;
  TemporaryFile temporary;
};

AtomicFile::AtomicFile(const std::string& path) : state_(std::make_unique<State>()) {
  State& s = *state_;
  if (path == "-" || path == "/dev/stdout") throw UsageError("this format cannot be written to stdout: name a file");
  if (path.empty()) fail("an output file's name is empty");
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) fail(path, ": is not a regular file");
  s.path = path;
  s.target = fs::is_symlink(path, ignored) ? fs::weakly_canonical(path).string() : path;
  const std::string temporary = temporary_name(s.target);
  // so that an error is reported now
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) fail_writing(path, errno);
  s.temporary.take(temporary);
  close(fd);
}
AtomicFile::~AtomicFile() = default;
AtomicFile::AtomicFile(AtomicFile&&) noexcept = default;
const std::string& AtomicFile::path() const { return state_->path; }
const std::string& AtomicFile::temporary() const { return state_->temporary.path(); }

void AtomicFile::commit() {
  State& s = *state_;
  const int fd = open(s.temporary.path().c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail_writing(s.path, errno);
  const int synced = fsync(fd), error_number = errno;
  close(fd);
  if (synced < 0 && error_number != EINVAL && error_number != ENOTSUP) fail_writing(s.path, error_number);
  if (rename(s.temporary.path().c_str(), s.target.c_str()) < 0) fail_writing(s.path, errno);
  s.temporary.keep();
  sync_folder_of(s.target);
}

void write_file(const std::string& path, std::string_view content) {
  Output output(path);
  output.write(content);
  output.commit();
}

std::string read_file(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail(path, ": ", errno_text(errno));
  std::string content, buffer(kBuffer, '\0');
  ssize_t got;
  while ((got = read(fd, buffer.data(), buffer.size())) != 0) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const int error_number = errno;
      close(fd);
      fail(path, ": ", errno_text(error_number));
    }
    content.append(buffer.data(), static_cast<size_t>(got));
  }
  close(fd);
  return content;
}

}  // namespace bigdna::io
