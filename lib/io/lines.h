/// Reads text files line by line: BED, FASTA, chains and tables.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct hFILE;  // htslib's

namespace bigdna::io {

struct CloseInput {
  void operator()(hFILE* file) const;
};
using Input = std::unique_ptr<hFILE, CloseInput>;
/// A file, or stdin ("-"), of which nothing has been read. Error naming it if it is missing, a folder, or compressed in
/// a way that is not read.
Input open_input(const std::string& path);
/// The same, whatever the file's format, for readers of several.
Input open_any_input(const std::string& path);

/// Lines of a text file (plain, gzip, BGZF or xz) or of stdin ("-"). CR at line ends and a byte order mark are dropped.
/// Error naming the line if there is CR within it, and naming the file if it is missing or truncated (BGZF without its
/// end marker included), or is no text: with what it is instead (a zip archive, an Excel workbook, UTF-16 ...), and the
/// remedy.
class LineReader {
 public:
  /// With `threads` above 1, BGZF is decompressed on other threads.
  explicit LineReader(const std::string& path, int threads = 1);
  /// Of an input that is open; `path` is for messages.
  LineReader(Input input, const std::string& path, int threads = 1);
  ~LineReader();
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;
  const std::string& path() const;         // for messages: "stdin" for "-"
  std::optional<std::string_view> next();  // valid until the next call
  int64_t line() const;                    // 1-based number of the line last returned

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Whether `path` can be read only once: "-", a pipe (also as /dev/stdin), a device.
bool reads_once(const std::string& path);

/// Whether an index of a file exists and is not older than the file, which may have been written anew since.
bool is_current(const std::string& index, const std::string& file);

/// The parts between separators, empty ones included: always one more than there are separators.
std::vector<std::string_view> split(std::string_view text, char separator = '\t');

}  // namespace bigdna::io
