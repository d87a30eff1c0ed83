/// Every file bigdna writes goes through here: a temporary name beside the target, a checked close, a rename.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bigdna::io {

/// A file being written, or stdout for "-". Names ending in .gz are written as BGZF (htslib). Nothing exists under
/// the final name before commit(); a destroyed, uncommitted Output leaves nothing behind. Every failure, a full
/// disk or a closed pipe included, is an Error naming the path (a closed stdout pipe: BrokenPipe).
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

/// stdout's reader has gone (`| head`): apps/ leaves quietly, as if SIGPIPE had ended the program.
class BrokenPipe : public std::exception {};

/// Error naming the file and why it cannot be written; 0: nobody knows. EPIPE: BrokenPipe.
[[noreturn]] void fail_writing(const std::string& path, int error_number);

/// For libraries that open a file by its name (bigWig, HDF5): they write `temporary()`, commit() moves it to `path`.
/// Nothing is left without commit(). Not for "-": a UsageError.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(AtomicFile&&) noexcept;
  const std::string& path() const;       // as the user wrote it
  const std::string& temporary() const;  // beside it
  /// Once the library has closed the file: syncs and renames.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Writes a whole small file atomically.
void write_file(const std::string& path, std::string_view content);
/// Reads a whole file; Error naming it where it cannot.
std::string read_file(const std::string& path);

/// How a command meets an output folder that already holds something.
enum class Existing { refuse, resume, replace };  // default, --resume, --force
/// A folder to be written, of a manifest's kind ("vocabulary", "run" ...).
struct OutputFolder {
  std::string path, kind;
  Existing existing = Existing::refuse;
  std::vector<std::string> inputs = {};  // what is read while it is written: `replace` refuses to take it away
};
/// Creates the folder (and parents) and locks it for as long as this process lives, where the file system knows locks; or
/// Error: exists and is not empty (naming --resume and --force), not writable, being written by another process. `resume` and
/// `replace` take only what bigdna made of this kind (its manifest, or the mark of what is unfinished): never a stranger's folder,
/// nor a run in place of a dataset. `replace` empties it.
void prepare_output_folder(const OutputFolder& folder);
/// The same around `build`, which writes the whole of it. What `replace` found is set aside (FOLDER/.replaced) until build() has
/// succeeded and is put back where it throws; a folder made here is taken away again. With `resume`, a finished one of this kind is
/// left as it is (is_complete) and build is not called.
void build_output_folder(const OutputFolder& folder, const std::function<void()>& build);
/// Error where an output is one of the inputs (the same file on disk; "-" never is), or two outputs are one file, by whatever
/// path ("-" is stdout). "" is no file, and neither are devices and pipes: /dev/null takes any number.
void refuse_shared_files(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

}  // namespace bigdna::io
