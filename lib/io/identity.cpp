#include "io/identity.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "io/lines.h"
#include "io/manifest.h"
#include "io/paths.h"
#include "io/write_all.h"

namespace bigdna::io {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {
constexpr uint64_t kSmallFile = 4 << 20, kParts = 256, kPart = 16 << 10;

std::string md5_of_parts(const std::string& path, const Extent& extent) {
  const int fd = open(extent.file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail(path, ": ", errno_text(errno));
  std::string part(kPart, '\0');
  Md5 md5;
  int cause = 0;
  for (uint64_t i = 0; i < kParts && !cause; ++i) {
    const auto start = static_cast<double>(extent.bytes - kPart) * static_cast<double>(i) / (kParts - 1);
    cause = read_all(fd, part, static_cast<off_t>(extent.offset + static_cast<uint64_t>(start)));
    md5.update(part);
  }
  close(fd);
  if (cause) fail(path, ": ", errno_text(cause));
  return md5.hex();
}

/// The path within `folder`, or the whole path if the file is elsewhere.
std::string name_within(const fs::path& folder, const std::string& file) {
  const auto path = fs::absolute(file).lexically_normal();
  const auto inside = path.lexically_relative(folder);
  return inside.empty() || *inside.begin() == ".." ? path.string() : inside.string();
}

const ordered_json* find_file(const ordered_json& files, const ordered_json& name) {
  for (const auto& file : files)
    if (file.value("name", ordered_json()) == name) return &file;
  return nullptr;
}

/// The name of the first file that only one of the two lists has, or whose content differs; "" if there is none.
std::string first_difference(const ordered_json& before, const ordered_json& now, std::string& how) {
  for (const auto& file : now) {
    const auto* earlier = find_file(before, file["name"]);
    how = earlier ? "has changed since" : "is new";
    if (!earlier || *earlier != file) return file["name"];
  }
  how = "is gone";
  for (const auto& file : before)
    if (!find_file(now, file.value("name", ordered_json()))) return file.value("name", "a file");
  return "";
}

std::string path_of(const ordered_json& value) {
  const ordered_json& path = is_input(value) ? value["path"] : value;
  return path.is_string() && path != "" ? path.get<std::string>() : path.dump();
}
}  // namespace

std::vector<std::string> files_of_manifest(const std::string& folder) {
  const std::string kind = kind_of_folder(folder);
  if (kind.empty()) return {};
  if (kind == "run") return files_of_manifest(folder + "/model");
  std::vector<std::string> files{folder + "/" + manifest_name(kind)};
  const auto details = Manifest::load(files.front()).details;
  const auto text = [](const ordered_json& json, const char* key) {
    return json.is_object() && json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
  };
  for (const auto& file : details.value("files", ordered_json::array()))
    files.push_back(folder + "/" + file.at("name").get<std::string>());
  // a dataset whose bases are read from a genome; of a corpus's genome there is no file but a description
  if (const auto genome = text(details, "genome"); !genome.empty()) files.push_back(genome);
  return files;
}

ordered_json content_of_file(const std::string& path) {
  const Extent extent = extent_of(path);
  ordered_json content{{"bytes", extent.bytes}};
  if (extent.bytes <= kSmallFile)
    content["md5"] = md5_of_file(path);
  else
    content["md5_of_parts"] = md5_of_parts(path, extent);
  return content;
}

ordered_json identity_of(const std::string& path, FilesOf files_of) {
  if (reads_once(path)) return {{"path", path}};
  const bool folder_given = is_folder(path);
  if (!folder_given && !is_file(path)) {
    const auto files = files_of ? files_of(path) : std::vector<std::string>();
    if (files.size() != 1 || files[0] == path || !is_file(files[0])) return path;
    ordered_json file{{"name", name_within(fs::current_path(), files[0])}};
    file.update(content_of_file(files[0]));
    return {{"path", path}, {"files", {std::move(file)}}};
  }
  const auto absolute = fs::absolute(path).lexically_normal();
  ordered_json identity{{"path", absolute.string()}};
  const auto files = files_of ? files_of(path) : folder_given ? files_of_manifest(path) : std::vector{path};
  if (!folder_given && files.size() == 1) {
    identity.update(content_of_file(path));
    return identity;
  }
  const auto folder = folder_given ? absolute : absolute.parent_path();
  for (const auto& file : files) {
    ordered_json entry{{"name", name_within(folder, file)}};
    if (is_file(file)) entry.update(content_of_file(file));
    identity["files"].push_back(std::move(entry));
  }
  return identity;
}

bool is_input(const ordered_json& value) { return value.is_object() && value.contains("path"); }

std::string difference_of_inputs(const std::string& name, const ordered_json& before, const ordered_json& now,
                                 Versions versions) {
  const std::string earlier = path_of(before), path = path_of(now);
  for (const auto* input : {&before, &now})
    if (is_input(*input) && input->size() == 1)
      return concat("was made with ", name, " ", earlier, ", and ", path_of(*input), " cannot be compared: it is ",
                    reads_once(path_of(*input)) ? "read only once" : "a folder of no known kind");
  if (is_input(before) && !is_input(now) && fs::absolute(path).lexically_normal() == earlier)
    return concat("was made with ", name, " ", earlier, ", which is gone and cannot be compared");
  if (!is_input(before) || !is_input(now)) return concat("was made with ", name, " ", earlier, ", not ", path);
  auto first = before, second = now;
  first.erase("path");
  second.erase("path");
  if (first == second) return "";
  if (earlier != path) return concat("was made with ", name, " ", earlier, ", not ", path);
  const bool in_order = versions == Versions::in_order;
  const auto text = concat("was made from ", in_order ? "an earlier" : "another", " version of ", name, " ", path);
  std::string how;
  if (first.contains("files") && second.contains("files"))
    if (const auto file = first_difference(first["files"], second["files"], how); !file.empty())
      return concat(text, ", whose file ", file, " ", in_order ? how : "differs");
  return text + (in_order ? ", which has changed since" : "");
}

}  // namespace bigdna::io
