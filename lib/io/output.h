/// Every file bigdna writes goes through here: a temporary name beside the target, a checked close, a rename.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bigdna::io {

/// Whether a file's name ends in one of these (".gz"), in upper or lower case.
bool has_suffix(std::string_view path, std::initializer_list<std::string_view> suffixes);
/// Whether its name says that it is an HDF5 file: .h5, .hdf5.
bool is_hdf5(std::string_view path);

/// The descriptor of this process that a path stands for: "-" and /dev/stdout are 1, /dev/stderr is 2, /dev/fd/N and
/// /proc/self/fd/N are N; nullopt for any other path.
std::optional<int> descriptor_of(std::string_view path);
/// Whether an output is written to as it is, never replaced: a descriptor, a device, a pipe.
bool is_written_directly(const std::string& path);

/// A file being written, or stdout for "-". Names ending in .gz or .bgz are written as BGZF (htslib);
/// UsageError for names of other compressions. Nothing exists under the
/// final name before commit(); a destroyed, uncommitted Output leaves nothing behind. What is_written_directly() has no
/// temporary name. Every failure, a full disk or a closed pipe included, is an Error naming the path (a closed stdout
/// pipe: BrokenPipe).
class Output {
 public:
  explicit Output(std::string path, int threads = 1);
  ~Output();
  Output(Output&&) noexcept;
  Output& operator=(Output&&) noexcept;

  void write(std::string_view bytes);
  void write(const void* data, size_t size) { write(std::string_view(static_cast<const char*>(data), size)); }
  Output& operator<<(std::string_view text) { return write(text), *this; }
  /// Flushes, syncs, closes with checks, renames. No write after it.
  void commit();
  const std::string& path() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The reader of stdout has closed it (`| head`). apps/ then exits quietly, as if by SIGPIPE.
class BrokenPipe : public std::exception {};

/// Throws an Error with the file and the cause; 0 if the cause is unknown. EPIPE throws BrokenPipe.
[[noreturn]] void fail_writing(const std::string& path, int error_number);

/// For libraries that open a file by name (bigWig, HDF5): they write `temporary()`, and commit() renames it to `path`.
/// Without commit() nothing is left behind. UsageError for what is_written_directly().
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(AtomicFile&&) noexcept;
  const std::string& path() const;       // as the user wrote it
  const std::string& temporary() const;  // beside it
  /// To be called once the library has closed the file: syncs and renames it.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Opens a file that grows during a run (a log, a journal) to append to it; creates it if it is missing. Error if it is
/// a link: in a folder that others can write to, that may be a trap.
std::FILE* open_to_append(const std::string& path);

/// Writes a whole small file atomically.
void write_file(const std::string& path, std::string_view content);
/// Makes a folder and its parents where they are missing; Error naming it if that fails.
void make_folder(const std::string& path);
/// A text as part of a file's name: everything but letters, digits, - and . is _.
std::string as_file_name(std::string text);
/// Reads a whole file; Error naming it if that fails.
std::string read_file(const std::string& path);

/// Error if an output is one of the inputs (the same file on disk; "-" never is); UsageError if two outputs are the
/// same file or descriptor, whatever their paths. Empty names, devices and named pipes do not count: /dev/null may be
/// repeated.
void refuse_shared_files(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);
/// Error if an output would lie in one of the folders that a command reads, whatever the paths. "", outputs that are
/// written directly and inputs that are no folder do not count.
void refuse_outputs_in(const std::vector<std::string>& outputs, const std::vector<std::string>& folders);

}  // namespace bigdna::io
