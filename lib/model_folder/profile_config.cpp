#include "model_folder/profile_config.h"

#include "base/error.h"
#include "io/json.h"
#include "io/output.h"
#include "io/paths.h"
#include "model_folder/architecture.h"
#include "model_folder/model_folder.h"

namespace bigdna::model_folder {

void check(const ProfileConfig& config, const std::string& where) {
  const auto refuse = [&](const auto&... what) { fail(where, ": ", what...); };
  if (config.halves.empty() || config.halves.size() > 2) refuse("a profile model has one half or two");
  if (config.strands != 1 && config.strands != 2) refuse("has ", config.strands, " profiles; bigdna reads 1 or 2");
  if (config.controls < 0 || config.controls > 2)
    refuse("has ", config.controls, " control tracks; bigdna reads 0 to 2");
  if (config.controls > 0 && config.has_bias()) refuse("has control tracks and a bias model; bigdna reads one of them");
  if (config.window < 1 || config.window > 1'000'000 || config.output < 2 || config.output % 2 != 0 ||
      config.window % 2 != 0)
    refuse("reads ", config.window, " bp and has a profile of ", config.output, " bp; both must be even");
  for (const auto& half : config.halves) {
    if (half.filters < 1 || half.layers < 1 || half.layers > 20)
      refuse(half.name, ": has ", half.filters, " filters and ", half.layers, " dilated convolutions");
    const int64_t positions = half.positions(config.window);
    if (positions - (ProfileHalf::kProfileWidth - 1) < config.output)
      refuse(half.name, ": ", half.layers, " dilated convolutions leave ", positions, " of ", config.window,
             " bp, too few for a profile of ", config.output, " bp");
    if (half.averaged < 1 || half.averaged > positions || (positions - half.averaged) % 2 != 0)
      refuse(half.name, ": its counts cannot be read from ", half.averaged, " of ", positions, " positions");
  }
}

nlohmann::ordered_json to_json(const ProfileConfig& config) {
  auto halves = nlohmann::ordered_json::array();
  for (const auto& half : config.halves)
    halves.push_back(
        {{"name", half.name}, {"filters", half.filters}, {"layers", half.layers}, {"averaged", half.averaged}});
  return {{"model_type", kProfileType}, {"window", config.window},     {"output", config.output},
          {"strands", config.strands},  {"controls", config.controls}, {"halves", halves}};
}

ProfileConfig profile_config_from_json(const nlohmann::json& json, const std::string& file) {
  try {
    const auto number = [&](const nlohmann::json& of, const char* key) {
      return io::whole_number(of.at(key), 0, 1'000'000, key, file);
    };
    ProfileConfig config{
        number(json, "window"), number(json, "output"), number(json, "strands"), number(json, "controls"), {}};
    for (const auto& half : json.at("halves"))
      config.halves.push_back(
          {half.at("name"), number(half, "filters"), number(half, "layers"), number(half, "averaged")});
    check(config, file);
    return config;
  } catch (const nlohmann::json::exception& e) {
    fail(file, ": ", e.what());
  }
}

std::map<std::string, std::vector<int64_t>> parameter_shapes(const ProfileConfig& config) {
  std::map<std::string, std::vector<int64_t>> shapes;
  for (const auto& half : config.halves) {
    const auto add = [&](const std::string& name, std::vector<int64_t> shape) {
      shapes[half.name + "." + name + ".bias"] = {shape.front()};
      shapes[half.name + "." + name + ".weight"] = std::move(shape);
    };
    add("first", {half.filters, 4, ProfileHalf::kFirstWidth});
    for (int64_t i = 0; i < half.layers; ++i)
      add(concat("dilated.", i), {half.filters, half.filters, ProfileHalf::kDilatedWidth});
    add("profile", {config.strands, half.filters + config.controls, ProfileHalf::kProfileWidth});
    add("count", {1, half.filters + (config.controls > 0)});
  }
  return shapes;
}

int64_t parameter_count(const ProfileConfig& config) { return count_of(parameter_shapes(config)); }

bool is_profile(const nlohmann::json& config) {
  return config.is_object() && config.value("model_type", nlohmann::json()) == kProfileType;
}

bool is_profile_model(const std::string& given) {
  const std::string file = model_in(given) + "/config.json";
  if (!io::is_file(file)) return false;
  return is_profile(io::parse_json<nlohmann::json>(io::read_file(file), file));
}

ProfileFolder ProfileFolder::open(const std::string& given) {
  const std::string path = model_in(given), file = path + "/config.json";
  io::refuse_unfinished(path);
  if (!is_profile_model(given)) fail(path, ": not a profile model (bigdna convert makes one of a BPNet or ChromBPNet)");
  if (!io::is_file(path + "/model.safetensors")) fail(path, "/model.safetensors: no such file");
  return {path, profile_config_from_json(io::parse_json<nlohmann::json>(io::read_file(file), file), file),
          io::Manifest::load(path + "/bigdna.json", "model")};
}

void write_profile_folder(const std::string& path, const ProfileConfig& config, io::Manifest manifest) {
  io::write_file(path + "/config.json", to_json(config).dump(2) + "\n");
  for (const char* name : {"config.json", "model.safetensors"}) manifest.add_file(path, name);
  manifest.kind = "model";
  manifest.save(path + "/bigdna.json");
}

}  // namespace bigdna::model_folder
