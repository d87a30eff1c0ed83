#include "model_folder/named_models.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "base/program.h"
#include "base/table.h"

namespace bigdna::model_folder {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders_of_models() {
  std::vector<fs::path> folders;
  if (const char* listed = std::getenv("BIGDNA_MODELS")) {
    std::istringstream names(listed);
    for (std::string name; std::getline(names, name, ':');)
      if (!name.empty()) folders.emplace_back(name);
  }
  if (const auto program = program_path(); !program.empty())
    folders.push_back(program.parent_path().parent_path() / "share/bigdna/models");
  return folders;
}

}  // namespace

std::vector<NamedModel> named_models() {
  std::map<std::string, std::string> path_of;
  for (const auto& folder : folders_of_models()) {
    std::error_code error;  // a folder that cannot be read has no models
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
      if (fs::is_regular_file(entry->path() / "config.json", error))
        path_of.emplace(entry->path().filename().string(), entry->path().string());
  }
  std::vector<NamedModel> models;
  for (const auto& [name, path] : path_of) models.push_back({name, path});
  return models;
}

std::string find_model(const std::string& given) {
  std::error_code error;
  if (fs::exists(given, error)) return given;
  const auto models = named_models();
  const NamedModel* found = find_row(models, given);
  return found ? found->path : given;
}

}  // namespace bigdna::model_folder
