#include "io/manifest.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "io/job.h"
#include "io/json.h"
#include "io/output.h"
#include "io/paths.h"

namespace bigdna::io {

namespace fs = std::filesystem;

namespace {
std::string version, typed;

const std::vector<std::pair<std::string, std::string>> kNames = {{"vocabulary", "vocabulary.json"},
                                                                 {"corpus", "corpus.json"},
                                                                 {"dataset", "dataset.json"},
                                                                 {"run", "run.json"},
                                                                 {"model", "bigdna.json"}};

/// The value of a required key; Error naming file and key.
template <class T>
T required(const nlohmann::ordered_json& json, const char* key, const std::string& path) {
  const auto found = json.find(key);
  if (found == json.end()) fail(path, ": has no \"", key, "\"");
  try {
    return found->get<T>();
  } catch (const nlohmann::json::exception&) {
    fail(path, ": \"", key, "\" is of the wrong type");
  }
}
}  // namespace

std::string shell_word(const std::string& word) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || std::strchr("@%+=:,./-_", c) || (c & 0x80);
  };
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  const bool escapes = std::any_of(word.begin(), word.end(), is_control);  // $'a\nb'
  std::string quoted = escapes ? "$'" : "'";
  for (const char c : word) {
    if (c == '\'')
      quoted += escapes ? "\\'" : "'\\''";
    else if (escapes && c == '\\')
      quoted += "\\\\";
    else if (is_control(c)) {
      const char digits[] = {'\\', static_cast<char>('0' + (c >> 6)), static_cast<char>('0' + (c >> 3 & 7)),
                             static_cast<char>('0' + (c & 7)), 0};
      quoted += digits;
    } else
      quoted += c;
  }
  return quoted + "'";
}

void set_program(std::string program_version, int argc, const char* const* argv) {
  version = std::move(program_version);
  typed.clear();
  for (int i = 0; i < argc; ++i) typed += (i ? " " : "") + shell_word(argv[i]);
}
const std::string& program_version() { return version; }
const std::string& command_line() { return typed; }

void require_inner(const std::string& name, const std::string& path) {
  const fs::path inner(name);
  if (name.empty() || inner.is_absolute() || std::ranges::find(inner, "..") != inner.end())
    fail(path, ": lists the file '", name, "', which is not in its folder");
}

std::string manifest_name(const std::string& kind) {
  for (const auto& [known, name] : kNames)
    if (known == kind) return name;
  fail("there is no manifest of kind '", kind, "'");
}

std::string kind_of_folder(const std::string& folder) {
  for (const auto& [kind, name] : kNames)
    if (exists(folder + "/" + name)) return kind;
  return "";
}

InputFile input_file(const std::string& path) {
  if (!is_file(path)) return {path, {}, {}};
  return {path, extent_of(path).bytes, md5_of_file(path)};
}

void Manifest::add_input(const InputFile& file) {
  nlohmann::ordered_json json{{"path", file.path}};
  if (file.bytes) json.update({{"bytes", *file.bytes}, {"md5", file.md5}});
  inputs.push_back(std::move(json));
}

void Manifest::add_file(const std::string& folder, const std::string& name) {
  const std::string path = folder + "/" + name;
  if (!fs::is_regular_file(path)) fail(path, ": is missing");
  auto& files = details["files"];
  if (!files.is_array()) files = nlohmann::ordered_json::array();
  files.push_back({{"name", name}, {"bytes", fs::file_size(path)}, {"md5", md5_of_file(path)}});
}

namespace {
/// `file`: an entry of details["files"].
void verify(const std::string& folder, const nlohmann::ordered_json& file, bool checksum) {
  const std::string path = folder + "/" + file.at("name").get<std::string>();
  const auto bytes = file.at("bytes").get<uint64_t>();
  if (!is_file(path)) fail(path, ": is missing");
  if (const auto now = extent_of(path).bytes; now != bytes)
    fail(path, ": has ", now, " bytes, but ", bytes, " were written: truncated or altered");
  if (checksum && md5_of_file(path) != file.at("md5"))
    fail(path, ": its checksum differs from the recorded one: damaged or altered");
}
}  // namespace

int64_t Manifest::verify_files(const std::string& folder, bool checksums) const {
  const auto files = details.find("files");
  if (files == details.end()) return 0;
  for (const auto& file : *files) verify(folder, file, checksums);
  return static_cast<int64_t>(files->size());
}

void Manifest::verify_file(const std::string& folder, const std::string& name) const {
  if (const auto files = details.find("files"); files != details.end())
    for (const auto& file : *files)
      if (file.at("name") == name) verify(folder, file, /*checksum=*/true);
}

void Manifest::save(const std::string& path) const {
  nlohmann::ordered_json json;
  json["kind"] = kind;
  json["version"] = version;
  json["command_line"] = command_line;
  json["seed"] = seed;
  json["inputs"] = inputs;
  for (const auto& [key, value] : details.items()) {
    if (json.contains(key)) fail(path, ": details may not hold \"", key, "\"");
    json[key] = value;
  }
  write_file(path, json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  std::error_code ignored;
  fs::remove(fs::path(path).replace_filename(kUnfinishedMarker), ignored);
}

Manifest Manifest::load(const std::string& path, const std::string& kind) {
  const auto json = read_json(path);
  if (!json.is_object()) fail(path, ": is not a JSON object");
  Manifest manifest;
  manifest.kind = required<std::string>(json, "kind", path);
  if (!kind.empty() && manifest.kind != kind) fail(path, ": is a ", manifest.kind, ", not a ", kind);
  manifest_name(manifest.kind);
  manifest.version = required<std::string>(json, "version", path);
  manifest.command_line = required<std::string>(json, "command_line", path);
  manifest.seed = required<uint64_t>(json, "seed", path);
  manifest.inputs = required<nlohmann::ordered_json>(json, "inputs", path);
  if (!manifest.inputs.is_array()) fail(path, ": \"inputs\" is not a list");
  for (const auto& input : manifest.inputs) {
    required<std::string>(input, "path", path);
    if (input.contains("md5")) required<std::string>(input, "md5", path), required<uint64_t>(input, "bytes", path);
  }
  for (const auto& [key, value] : json.items())
    if (key != "kind" && key != "version" && key != "command_line" && key != "seed" && key != "inputs")
      manifest.details[key] = value;
  const auto files = manifest.details.value("files", nlohmann::ordered_json::array());
  if (!files.is_array()) fail(path, ": \"files\" is not a list");
  for (const auto& file : files)
    require_inner(required<std::string>(file, "name", path), path), required<uint64_t>(file, "bytes", path),
        required<std::string>(file, "md5", path);
  return manifest;
}

Manifest manifest_of_folder(const std::string& folder) {
  if (!exists(folder)) fail(folder, ": ", errno_text(ENOENT));
  if (!is_folder(folder)) fail(folder, ": is not a folder");
  for (const auto& [kind, name] : kNames)
    if (const auto path = folder + "/" + name; exists(path)) return Manifest::load(path, kind);
  refuse_unfinished(folder);
  fail(folder, ": is not a folder made by bigdna (it has no ", manifest_name("corpus"), ", ", manifest_name("dataset"),
       " or similar)");
}

int64_t verify_folder(const std::string& folder, bool checksums) {
  const Manifest manifest = manifest_of_folder(folder);
  if (manifest.kind != "run") return manifest.verify_files(folder, checksums);
  // its own list is not read: older versions listed a fine-tuned model's files there
  if (const auto model = folder + "/model/" + manifest_name("model"); !exists(model)) fail(model, ": is missing");
  int64_t files = 0;
  for (const char* part : {"/vocabulary", "/corpus", "/model"})
    if (!kind_of_folder(folder + part).empty()) files += verify_folder(folder + part, checksums);
  return files;
}

bool is_complete(const std::string& folder, const std::string& kind) {
  const std::string path = folder + "/" + manifest_name(kind);
  if (!fs::exists(path)) return false;
  Manifest::load(path, kind);
  if (!is_of_this_job(folder)) return false;
  try {
    verify_folder(folder, /*checksums=*/false);
  } catch (const Error& error) {
    job().refuse(error.what(), "--force starts over");
    return false;
  }
  if (is_folder_of_job(folder) && !fs::exists(fs::path(folder) / kJobFile))
    log::warn(
        folder,
        ": is complete, but records no options to compare (an older version of bigdna made it; --force replaces it)");
  else
    log::info(folder, ": is complete");
  return true;
}

void refuse_unfinished(const std::string& folder) {
  if (exists(folder + "/" + kUnfinishedMarker))
    fail(folder, ": is unfinished (the command that writes it is still running, or was stopped)");
}

}  // namespace bigdna::io
