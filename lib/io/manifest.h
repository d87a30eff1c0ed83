/// The JSON file that says what a folder of bigdna's is and how it was made: one type for vocabulary, corpus,
/// dataset, run and model folders. Written last, so that its presence means the folder is whole.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bigdna::io {

struct Manifest {
  std::string kind;          // "vocabulary", "corpus", "dataset", "run", "model"
  std::string version;       // bigdna's
  std::string command_line;  // as typed
  uint64_t seed = 0;
  nlohmann::ordered_json inputs = nlohmann::ordered_json::array();    // [{path, bytes, md5}]
  nlohmann::ordered_json details = nlohmann::ordered_json::object();  // what the kind adds

  /// Adds {path, bytes, md5} of a file read.
  void add_input(const std::string& path);
  void save(const std::string& path) const;
  /// Error where the file is missing, is not JSON, or is of another kind than `kind` (empty: any).
  static Manifest load(const std::string& path, const std::string& kind = "");
};

/// The manifest's file name for a kind: corpus.json, dataset.json, run.json, vocabulary.json; bigdna.json for a model.
std::string manifest_name(const std::string& kind);
/// The manifest in a folder, whatever its kind; Error: not a folder of bigdna's.
Manifest manifest_of_folder(const std::string& folder);

/// MD5 (htslib's) of a file, as 32 hex digits: the checksum of genomes and of our own manifests.
std::string md5_of_file(const std::string& path);
std::string md5_of_bytes(std::string_view bytes);

/// The command line as typed, set once by apps/, for manifests and logs.
void set_command_line(int argc, const char* const* argv);
const std::string& command_line();

}  // namespace bigdna::io
