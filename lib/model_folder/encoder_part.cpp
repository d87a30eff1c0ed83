#include "model_folder/encoder_part.h"

#include <filesystem>
#include <set>

#include "base/error.h"
#include "io/output.h"
#include "io/paths.h"

namespace bigdna::model_folder {

std::vector<std::string> encoder_files(const io::Manifest& manifest) {
  std::vector<std::string> names;
  const auto files = manifest.details.find("files");
  if (files == manifest.details.end()) return names;
  for (const auto& file : *files)
    if (auto name = file.value("name", ""); name.starts_with(std::string(kEncoderFolder) + "/")) names.push_back(name);
  return names;
}

void put_encoder(const ModelFolder& encoder, const std::string& folder, io::Manifest& manifest,
                 const std::function<void(const std::string&)>& write_weights) {
  std::set<std::string> names;
  for (const auto& file : files_of(encoder.path)) names.insert(std::filesystem::path(file).filename());
  for (const auto& file : encoder.manifest.details.value("files", nlohmann::ordered_json::array()))
    names.insert(file.at("name").get<std::string>());
  const std::string inner = folder + "/" + kEncoderFolder;
  std::error_code error;
  if (std::filesystem::create_directories(inner, error); error) fail(inner, ": ", error.message());
  for (const auto& name : names) {
    if (write_weights && encoder.path + "/" + name == encoder.weights_path())
      write_weights(inner + "/" + name);
    else
      io::write_file(inner + "/" + name, io::read_file(encoder.path + "/" + name));
    manifest.add_file(folder, concat(kEncoderFolder, "/", name));
  }
}

}  // namespace bigdna::model_folder
