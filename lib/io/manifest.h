/// The JSON file that describes a folder made by bigdna, and how it was made: one type for vocabulary, corpus,
/// dataset, run and model folders. Written last, so a folder that has one is complete.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/md5.h"

namespace bigdna::io {

/// apps/ calls set_program() once. command_line() quotes words as a shell needs them, so that it can be pasted and run
/// again.
void set_program(std::string version, int argc, const char* const* argv);
const std::string& program_version();
const std::string& command_line();
/// The word as a shell reads it: in quotes if it holds more than letters, digits and the characters of paths. One line.
std::string shell_word(const std::string& word);

/// The file that marks an output folder as bigdna's but unfinished, from prepare_output_folder() until the manifest is
/// saved. It holds the manifest's kind.
inline constexpr const char* kUnfinishedMarker = ".unfinished";

/// A file that a command has read.
struct InputFile {
  std::string path;
  std::optional<uint64_t> bytes;  // unset: it cannot be read twice ("-", a pipe)
  std::string md5;
};
/// Reads the file once to compute its MD5. Sets only the path of what cannot be read twice.
InputFile input_file(const std::string& path);

struct Manifest {
  std::string kind;                               // "vocabulary", "corpus", "dataset", "run", "model"
  std::string version = io::program_version();    // of the program that wrote it
  std::string command_line = io::command_line();  // that made the folder
  uint64_t seed = 0;
  nlohmann::ordered_json inputs = nlohmann::ordered_json::array();    // [{path, bytes, md5}]
  nlohmann::ordered_json details = nlohmann::ordered_json::object();  // the keys of this kind

  /// Adds {path, bytes, md5} of a file, or only the path if it cannot be read twice.
  void add_input(const InputFile& file);
  void add_input(const std::string& path) { add_input(input_file(path)); }
  /// Adds {name, bytes, md5} of the finished file `folder`/`name` to details["files"], which verify_files() checks.
  void add_file(const std::string& folder, const std::string& name);
  /// Error naming the first file of details["files"] that is missing or has another size or, with `checksums` (which
  /// reads every byte), another MD5. Returns the number of files checked.
  int64_t verify_files(const std::string& folder, bool checksums) const;
  /// The same, with its MD5, of one file that details["files"] lists; nothing for one that it does not list.
  void verify_file(const std::string& folder, const std::string& name) const;
  /// Writes the manifest and removes kUnfinishedMarker from its folder.
  void save(const std::string& path) const;
  /// Error if the file is missing, is not JSON, is not of `kind` (empty: any), or lists files otherwise than
  /// add_file().
  static Manifest load(const std::string& path, const std::string& kind = "");
};

/// Error naming the file at `path`, a description of a folder, if a name that it lists leads out of the folder.
void require_inner(const std::string& name, const std::string& path);

/// The manifest's file name for a kind: corpus.json, dataset.json, run.json, vocabulary.json; bigdna.json for a model.
std::string manifest_name(const std::string& kind);
/// The kind of the manifest in `folder`, by its file name alone; "" if there is none.
std::string kind_of_folder(const std::string& folder);
/// The manifest in a folder, whatever its kind; Error if bigdna did not make the folder.
Manifest manifest_of_folder(const std::string& folder);

/// Checks what a finished folder's manifest lists, as Manifest::verify_files() does; of a run, what those of its model,
/// vocabulary and corpus list.
int64_t verify_folder(const std::string& folder, bool checksums);

/// For --resume: whether `folder` holds a finished result of `kind`, which is then logged. Error if it is this
/// process's output folder and records another job (io/job.h), or if a file is missing or truncated (verify_folder); a
/// warning if it records no job. With --resume=replace each of these is a warning, and the result is false.
bool is_complete(const std::string& folder, const std::string& kind);

/// Error if the folder is unfinished.
void refuse_unfinished(const std::string& folder);

}  // namespace bigdna::io
