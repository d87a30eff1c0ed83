#include "model/parameters.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include "base/error.h"
#include "base/finite.h"
#include "base/rng.h"
#include "base/threads.h"
#include "model/model_weights.h"
#include "model_folder/architecture.h"
#include "model_folder/attention.h"

namespace bigdna::model {
namespace {

/// FNV-1a: the random stream of a parameter depends on its name alone.
uint64_t hash_of(const std::string& name) {
  uint64_t hash = 14695981039346656037u;
  for (const char c : name) hash = (hash ^ static_cast<uint8_t>(c)) * 1099511628211u;
  return hash;
}

at::Tensor normal(const std::string& name, const std::vector<int64_t>& shape, double range, uint64_t seed) {
  at::Tensor value = at::empty(shape);
  Rng rng(seed, hash_of(name));
  auto* data = value.mutable_data_ptr<float>();
  for (int64_t i = 0; i < value.numel(); ++i) data[i] = static_cast<float>(rng.normal() * range);
  return value;
}

/// Of a parameter that an attention adds.
at::Tensor own_value(const model_folder::OwnParameter& own, const std::string& name, const std::vector<int64_t>& shape,
                     double scale, uint64_t seed) {
  switch (own.start) {
    case model_folder::Start::normal:
      break;
    case model_folder::Start::projection:  // start_as_projection() copies it
      return at::zeros(shape);
    case model_folder::Start::constant:
      return at::full(shape, scale, at::kFloat);
    case model_folder::Start::directions: {
      const at::Tensor drawn = normal(name, shape, 1, seed);
      return drawn / at::linalg_vector_norm(drawn, 2, at::IntArrayRef{-1}, true);
    }
    case model_folder::Start::mean: {
      const int64_t size = shape.back(), taps = shape[shape.size() - 3];
      return (at::eye(size) / static_cast<double>(taps)).expand(shape).contiguous();
    }
  }
  return normal(name, shape, scale, seed);
}

at::Tensor initial_value(const std::string& name, const std::vector<int64_t>& shape, double range, uint64_t seed) {
  if (const auto* own = model_folder::own_parameter(name)) return own_value(*own, name, shape, range, seed);
  if (model_folder::is_gain(name)) return at::ones(shape);
  if (name.ends_with("bias")) return at::zeros(shape);
  return normal(name, shape, range, seed);
}

at::ScalarType torch_type(io::Dtype dtype, const std::string& what) {
  switch (dtype) {
    case io::Dtype::f32:
      return at::kFloat;
    case io::Dtype::f64:
      return at::kDouble;
    case io::Dtype::bf16:
      return at::kBFloat16;
    case io::Dtype::f16:
      return at::kHalf;
    default:
      fail(what, ": weights of type ", io::dtype_name(dtype), " are not supported");
  }
}

at::Tensor read(const io::SafetensorsFile& file, const std::string& key) {
  const auto& array = file.at(key);
  auto* data = const_cast<std::byte*>(array.bytes.data());  // from_blob takes void*; it is only read
  const at::Tensor view = at::from_blob(data, array.shape, torch_type(array.dtype, file.path() + ": " + key));
  const at::Tensor values = view.to(at::kFloat, /*non_blocking=*/false, /*copy=*/true);
  if (!all_finite({values.const_data_ptr<float>(), static_cast<size_t>(values.numel())}))
    fail(file.path(), ": ", key, " holds values that are not finite numbers: damaged weights");
  return values;
}

Parameters read(const io::SafetensorsFile& file, const model_folder::ModelConfig& config, model_folder::Heads heads) {
  return model_weights(config, model_folder::weight_keys(config, file.arrays(), file.path(), heads),
                       [&](const std::string& key) { return read(file, key); });
}

/// Of an own parameter that begins as the layer's projection.
void start_as_projection(const model_folder::ModelConfig& config, Parameters& parameters, const std::string& name) {
  const auto* own = model_folder::own_parameter(name);
  if (!own || own->start != model_folder::Start::projection) return;
  const auto rows =
      model_folder::architecture(config).projection(config, model_folder::depth_of(config, name), own->name);
  const int64_t before = (config.heads - model_folder::attention_heads(config)) * config.head_size();
  at::Tensor& value = parameters.at(name);
  value = parameters.at(rows.name).narrow(0, rows.first + before, value.size(0)).clone();
}

Parameters drawn(const model_folder::ModelConfig& config, uint64_t seed) {
  return initialise(
      model_folder::parameter_shapes(config),
      [&](const std::string& name, const std::vector<int64_t>&) {
        if (const auto* own = model_folder::own_parameter(name); own && own->scale) return own->scale(config);
        return model_folder::architecture(config).deviation(config, name);
      },
      seed);
}

}  // namespace

Parameters initialise(const model_folder::ModelConfig& config, uint64_t seed) {
  Parameters parameters;
  add_missing(config, parameters, seed);
  return parameters;
}

void add_missing(const model_folder::ModelConfig& config, Parameters& parameters, uint64_t seed) {
  std::vector<std::string> added;
  for (auto& [name, value] : drawn(config, seed))
    if (parameters.emplace(name, value).second) added.push_back(name);
  for (const auto& name : added) start_as_projection(config, parameters, name);
}

Parameters initialise(const std::map<std::string, std::vector<int64_t>>& shapes,
                      const std::function<double(const std::string&, const std::vector<int64_t>&)>& deviation,
                      uint64_t seed) {
  Parameters parameters;
  std::vector<std::pair<const std::string*, at::Tensor*>> slots;
  for (const auto& [name, shape] : shapes) slots.emplace_back(&name, &parameters[name]);
  parallel_for(static_cast<int64_t>(slots.size()), available_threads(), [&](int64_t i) {
    const auto& [name, value] = slots[static_cast<size_t>(i)];
    const auto& shape = shapes.at(*name);
    *value = initial_value(*name, shape, deviation(*name, shape), seed);
  });
  return parameters;
}

void save_weights(const Parameters& parameters, const std::string& path, io::Dtype type) {
  std::vector<at::Tensor> values;  // keeps alive what the views below point to
  std::vector<io::ArrayToWrite> arrays;
  for (const auto& [name, parameter] : parameters) {
    values.push_back(parameter.detach().to(at::kCPU, torch_type(type, path)).contiguous());
    const at::Tensor& value = values.back();
    if (type != io::Dtype::f32) {
      const at::Tensor kept = value.to(at::kFloat);
      if (!all_finite({kept.const_data_ptr<float>(), static_cast<size_t>(kept.numel())}))
        fail(path, ": ", name, " holds numbers that are too large for ", io::dtype_name(type));
    }
    arrays.push_back({name,
                      type,
                      value.sizes().vec(),
                      {static_cast<const std::byte*>(value.const_data_ptr()), static_cast<size_t>(value.nbytes())}});
  }
  io::write_safetensors(path, arrays, {{"format", "pt"}});
}

Parameters load_arrays(const std::string& path) {
  const io::SafetensorsFile file(path);
  Parameters arrays;
  for (const auto& [key, array] : file.arrays())
    if (!key.ends_with("_ids")) arrays[key] = read(file, key);  // position_ids: integers, not weights
  return arrays;
}

Parameters load_arrays(const std::string& path, const std::map<std::string, std::vector<int64_t>>& shapes) {
  auto arrays = load_arrays(path);
  std::string wrong;
  for (const auto& [name, shape] : shapes)
    if (const auto found = arrays.find(name); found == arrays.end() || found->second.sizes().vec() != shape)
      wrong += " " + name;
  for (const auto& [name, value] : arrays)
    if (!shapes.contains(name)) wrong += " " + name;
  if (!wrong.empty())
    fail(path, ": these arrays are missing, not expected or of another shape than config.json says:", wrong);
  return arrays;
}

Parameters load_weights(const model_folder::ModelConfig& config, const std::string& path) {
  const io::SafetensorsFile file(path);
  return read(file, config, model_folder::Heads::exact);
}

Parameters load_encoder(const model_folder::ModelConfig& config, const std::string& path, uint64_t seed,
                        model_folder::Heads heads) {
  const io::SafetensorsFile file(path);
  Parameters parameters = read(file, config, heads);
  add_missing(config, parameters, seed);
  return parameters;
}

}  // namespace bigdna::model
