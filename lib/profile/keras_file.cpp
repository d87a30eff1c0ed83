/// ChromBPNet's files: HDF5 as Keras 2 saves a model, the weights by layer, and the layers as JSON.
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>

#include <map>
#include <optional>

#include "base/error.h"
#include "base/table.h"
#include "io/hdf5.h"
#include "io/json.h"
#include "profile/foreign.h"

namespace bigdna::profile {
namespace {

constexpr int kMostLevels = 8;  // of models and groups in each other

/// A text attribute of the file; nullopt if it has none.
std::optional<std::string> text_attribute(const io::Hdf5File& file, const char* name) {
  if (H5Aexists(file, name) <= 0) return std::nullopt;
  const io::Hdf5Handle attribute(H5Aopen(file, name, H5P_DEFAULT), H5Aclose);
  const io::Hdf5Handle type(H5Aget_type(attribute), H5Tclose);
  if (H5Tget_class(type) != H5T_STRING) return std::nullopt;
  if (H5Tis_variable_str(type) > 0) {
    char* text = nullptr;
    if (H5Aread(attribute, type, &text) < 0 || !text) fail(file.path(), ": its attribute ", name, " cannot be read");
    std::string copy = text;
    H5free_memory(text);
    return copy;
  }
  std::string text(H5Tget_size(type), '\0');
  if (H5Aread(attribute, type, text.data()) < 0) fail(file.path(), ": its attribute ", name, " cannot be read");
  return text.substr(0, text.find('\0'));
}

at::Tensor read_array(const io::Hdf5File& file, const std::string& name) {
  const auto dataset = file.dataset(name);
  const io::Hdf5Handle space(H5Dget_space(dataset), H5Sclose), type(H5Dget_type(dataset), H5Tclose);
  const int dimensions = H5Sget_simple_extent_ndims(space);
  if (dimensions < 1 || dimensions > 3 || H5Tget_class(type) != H5T_FLOAT)
    fail(file.path(), ": ", name, " is not an array of floating-point numbers");
  hsize_t extent[3];
  H5Sget_simple_extent_dims(space, extent, nullptr);
  std::vector<int64_t> shape;
  uint64_t elements = 1;
  for (int i = 0; i < dimensions; ++i) {
    if (extent[i] < 1 || extent[i] > 1'000'000 || (elements *= extent[i]) > (uint64_t{1} << 31))
      fail(file.path(), ": ", name, " is too large for a weight");
    shape.push_back(static_cast<int64_t>(extent[i]));
  }
  at::Tensor values = at::empty(shape);
  if (H5Dread(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.mutable_data_ptr<float>()) < 0)
    fail(file.path(), ": ", name, " cannot be read");
  return values;
}

/// Adds the paths of the datasets in a group and in those in it.
void add_datasets(hid_t group, const std::string& prefix, const std::string& path, std::vector<std::string>& names,
                  int depth = 0) {
  H5G_info_t info;
  if (depth > kMostLevels || H5Gget_info(group, &info) < 0) fail(path, ": its group ", prefix, " cannot be read");
  for (hsize_t i = 0; i < info.nlinks; ++i) {
    char name[256];
    const auto size = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
    const io::Hdf5Handle object(size > 0 ? H5Oopen(group, name, H5P_DEFAULT) : -1, H5Oclose);
    if (object < 0) fail(path, ": its group ", prefix, " cannot be read");
    const auto type = H5Iget_type(object);
    if (type == H5I_GROUP) add_datasets(object, concat(prefix, name, "/"), path, names, depth + 1);
    if (type == H5I_DATASET) names.push_back(prefix + name);
  }
}

/// Weights by layer and name: "bpnet_1st_conv/kernel:0". Convolutions as [outputs, inputs, width], others transposed.
model::Parameters read_weights(const io::Hdf5File& file) {
  const std::string group = "model_weights/";
  const io::Hdf5Handle weights(
      H5Lexists(file, "model_weights", H5P_DEFAULT) > 0 ? H5Gopen2(file, "model_weights", H5P_DEFAULT) : -1, H5Gclose);
  if (weights < 0) fail(file.path(), ": has no model_weights: it is not a model that Keras 2 saved as .h5");
  model::Parameters arrays;
  std::vector<std::string> paths;
  add_datasets(weights, "", file.path(), paths);
  for (const auto& path : paths) {
    const auto last = path.rfind('/'),
               before = last == 0 || last == std::string::npos ? last : path.rfind('/', last - 1);
    const std::string name = before == std::string::npos ? path : path.substr(before + 1);
    at::Tensor values = read_array(file, group + path);
    if (values.dim() == 3) values = values.permute({2, 1, 0}).contiguous();
    if (values.dim() == 2) values = values.t().contiguous();
    if (!arrays.emplace(name, values).second) fail(file.path(), ": has the weight ", name, " twice");
  }
  return arrays;
}

/// The kinds of layers that these models consist of, and what must hold of them.
struct LayerKind {
  const char* name;
  bool convolution = false, holds_layers = false;
};
constexpr LayerKind kLayers[] = {{"InputLayer"},
                                 {"Conv1D", true},
                                 {"Cropping1D"},
                                 {"Add"},
                                 {"GlobalAveragePooling1D"},
                                 {"Dense"},
                                 {"Flatten"},
                                 {"Concatenate"},
                                 {"Lambda"},
                                 {"Functional", false, true},
                                 {"Model", false, true}};

/// What the layers say that the weights do not.
struct Layers {
  int64_t window = 2114;
  std::map<std::string, int64_t> cropped, dilation;  // by layer: positions at either end; of convolutions
};

void check_convolution(const nlohmann::json& layer, const std::string& name, const std::string& path, Layers& all) {
  const bool head = name.ends_with("prof_out_precrop");
  const auto refuse = [&](const char* what, const nlohmann::json& value) {
    fail(path, ": layer ", name, ": its ", what, " is ", value.dump(), ", and not as in BPNet");
  };
  if (layer.at("padding") != "valid") refuse("padding", layer.at("padding"));
  if (layer.at("activation") != (head ? "linear" : "relu")) refuse("activation", layer.at("activation"));
  if (layer.at("strides") != nlohmann::json{1}) refuse("strides", layer.at("strides"));
  all.dilation[name] = io::whole_number(layer.at("dilation_rate").at(0), 1, 1 << 20, "dilation", path);
}

void read_layers(const nlohmann::json& model, const std::string& path, Layers& all, int depth = 0) {
  if (depth > kMostLevels) fail(path, ": has too many models in each other");
  for (const auto& layer : model.at("config").at("layers")) {
    const std::string kind = layer.at("class_name"), name = layer.at("config").at("name");
    const auto* const known = find_row(kLayers, kind);
    if (!known) fail(path, ": layer ", name, " is a ", kind, ", which neither BPNet nor ChromBPNet has");
    const auto& config = layer.at("config");
    if (known->convolution) check_convolution(config, name, path, all);
    if (known->holds_layers) read_layers(layer, path, all, depth + 1);
    if (const auto shape = config.find("batch_input_shape"); shape != config.end())
      all.window = io::whole_number(shape->at(1), 1, 1'000'000, "window", path);
    if (const auto cropping = config.find("cropping"); cropping != config.end())
      all.cropped[name] = io::whole_number(cropping->at(0), 0, 1'000'000, "cropping", path);
  }
}

/// How the layers of a half are called.
struct HalfNames {
  std::string layers, heads, crop;
  std::string kernel(const std::string& layer) const { return layer + "/kernel:0"; }
  std::string first() const { return layers + "bpnet_1st_conv"; }
  std::string dilated(int64_t i) const { return concat(layers, "bpnet_", i + 1, "conv"); }
  std::string profile() const { return heads + "prof_out_precrop"; }
  std::string count() const { return heads + "logcount_predictions"; }
};
const HalfNames kBias{"", "", "logits_profile_predictions_preflatten"},
    kMain{"wo_bias_", "wo_bias_bpnet_", "wo_bias_bpnet_logitt_before_flatten"};

class KerasHalf {
 public:
  KerasHalf(const HalfNames& names, const model::Parameters& arrays, const Layers& layers, const std::string& path)
      : names_(names), window_(layers.window) {
    half_.filters = arrays.at(names.kernel(names.first())).size(0);
    half_.layers = 0;
    while (arrays.contains(names.kernel(names.dilated(half_.layers)))) ++half_.layers;
    half_.averaged = half_.positions(window_);
    for (int64_t i = 0; i < half_.layers; ++i)
      if (const auto found = layers.dilation.find(names.dilated(i));
          found != layers.dilation.end() && found->second != half_.dilation(i))
        fail(path, ": layer ", names.dilated(i), ": its dilation is ", found->second, " instead of ",
             half_.dilation(i));
    const auto crop = layers.cropped.find(names.crop);
    output_ = crop == layers.cropped.end()
                  ? 1000
                  : half_.averaged - (model_folder::ProfileHalf::kProfileWidth - 1) - 2 * crop->second;
  }
  int64_t output() const { return output_; }
  model_folder::ProfileHalf take(HalfReader& reader, const char* name) {
    half_.name = name;
    const auto both = [&](const std::string& layer, const std::string& to) {
      reader.take(names_.kernel(layer), concat(name, ".", to, ".weight"));
      reader.take(layer + "/bias:0", concat(name, ".", to, ".bias"));
    };
    both(names_.first(), "first");
    for (int64_t i = 0; i < half_.layers; ++i) both(names_.dilated(i), concat("dilated.", i));
    both(names_.profile(), "profile");
    both(names_.count(), "count");
    return half_;
  }

 private:
  const HalfNames& names_;
  model_folder::ProfileHalf half_;
  int64_t window_, output_ = 0;
};

}  // namespace

Foreign read_keras(const std::string& path) try {
  const auto file = io::Hdf5File::open(path);
  auto arrays = read_weights(file);
  Layers layers;
  const auto text = text_attribute(file, "model_config");
  if (!text) fail(path, ": has no model_config: save the whole model (model.save), not its weights alone");
  read_layers(io::parse_json<nlohmann::json>(*text, path + ": model_config"), path, layers);
  const auto has = [&](const HalfNames& names) { return arrays.contains(names.kernel(names.first())); };
  const bool main = has(kMain), bias = has(kBias);
  if (!main && !bias)
    fail(path, ": has no layer ", kBias.first(), " or ", kMain.first(), ": it is not a model of ChromBPNet");
  Foreign model;
  auto& config = model.config;
  KerasHalf first(main ? kMain : kBias, arrays, layers, path);
  config = {layers.window, first.output(), 1, 0, {}};
  std::optional<KerasHalf> second;
  if (main && bias) second.emplace(kBias, arrays, layers, path);
  if (second && second->output() != config.output)
    fail(path, ": the bias model has a profile of ", second->output(), " bp, the other one of ", config.output, " bp");
  HalfReader reader(arrays, path);
  config.halves.push_back(first.take(reader, model_folder::kModelHalf));
  if (second) config.halves.push_back(second->take(reader, model_folder::kBiasHalf));
  check(config, path);
  model.parameters = reader.finish(config);
  return model;
} catch (const nlohmann::json::exception& error) {
  fail(path, ": its model_config is damaged: ", error.what());
}

}  // namespace bigdna::profile
