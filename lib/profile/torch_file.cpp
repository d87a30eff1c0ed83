/// bpnet-lite's files: a zip of data.pkl and of each tensor's numbers.
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <caffe2/serialize/inline_container.h>

#include <cstring>
#include <optional>

#include "base/error.h"
#include "base/table.h"
#include "io/pickle.h"
#include "profile/foreign.h"

namespace bigdna::profile {
namespace {

using io::Pickled;
using Kind = Pickled::Kind;

constexpr int kMostModules = 8;    // modules in each other
constexpr int64_t kOutput = 1000;  // bp of the profile, which the file does not say
constexpr const char *kBpnet = "bpnetlite.bpnet.BPNet", *kChrombpnet = "bpnetlite.chrombpnet.ChromBPNet";

struct StorageType {
  const char* name;
  at::ScalarType type;
};
constexpr StorageType kStorages[] = {{"torch.FloatStorage", at::kFloat},
                                     {"torch.DoubleStorage", at::kDouble},
                                     {"torch.HalfStorage", at::kHalf},
                                     {"torch.BFloat16Storage", at::kBFloat16}};

class TorchFile {
 public:
  explicit TorchFile(const std::string& path) : path_(path) {
    try {
      zip_.emplace(path);
    } catch (const std::exception&) {
      fail(path, ": is not a file of torch.save (a zip, since PyTorch 1.6), or is damaged");
    }
    pickle_ = io::read_pickle(record("data.pkl"), path);
  }
  const Pickled& root() const { return *pickle_.root; }
  const std::string& path() const { return path_; }

  /// The numbers of a tensor or parameter as float; nullopt for another value.
  std::optional<at::Tensor> tensor(const Pickled& value) {
    if (value.is_made_by("torch._utils._rebuild_parameter") && !value.items.empty()) return tensor(*value.items[0]);
    if (!value.is_made_by("torch._utils._rebuild_tensor_v2") || value.items.size() < 4) return std::nullopt;
    const Pickled& kept = *value.items[0];
    if (!kept.is(Kind::persistent) || kept.of->items.size() < 5) damaged();
    const auto& place = kept.of->items;  // ("storage", type, key, device, count)
    const auto* type = find_row(kStorages, place[1]->text);
    if (!type) fail(path_, ": has a tensor of ", place[1]->text, "; bigdna reads floating-point numbers");
    const auto shape = whole(*value.items[2]), strides = whole(*value.items[3]);
    const int64_t offset = value.items[1]->integer;
    const std::string bytes = record("data/" + place[2]->text);
    const int64_t count = static_cast<int64_t>(bytes.size() / c10::elementSize(type->type));
    int64_t last = offset, elements = 1;
    for (size_t i = 0; i < shape.size(); ++i) {
      if (i >= strides.size() || shape[i] < 1 || shape[i] > count || strides[i] < 0 || strides[i] > count) damaged();
      last += (shape[i] - 1) * strides[i];
      elements *= shape[i];
      if (elements > count) damaged();
    }
    if (offset < 0 || last >= count) damaged();
    at::Tensor flat = at::empty({count}, at::TensorOptions(type->type));
    std::memcpy(flat.mutable_data_ptr(), bytes.data(), static_cast<size_t>(count) * c10::elementSize(type->type));
    return flat.as_strided(shape, strides, offset).to(at::kFloat).contiguous();
  }

 private:
  [[noreturn]] void damaged() const { fail(path_, ": is damaged: a tensor does not lie in its numbers"); }
  std::vector<int64_t> whole(const Pickled& sequence) const {
    std::vector<int64_t> numbers;
    for (const auto* item : sequence.items) numbers.push_back(item->integer);
    return numbers;
  }
  std::string record(const std::string& name) {
    try {
      const auto [data, size] = zip_->getRecord(name);
      return {static_cast<const char*>(data.get()), size};
    } catch (const std::exception&) {
      fail(path_, ": has no record ", name, ", or a damaged one");
    }
  }

  std::string path_;
  std::optional<caffe2::serialize::PyTorchStreamReader> zip_;
  io::Pickle pickle_;
};

/// The attributes of a module: what __dict__ holds.
const Pickled* attributes(const Pickled& object) {
  return object.is(Kind::made) && object.state && object.state->is(Kind::dictionary) ? object.state : nullptr;
}

/// Adds the parameters of a module and of those in it, by the names that its state dict has.
void add_parameters(TorchFile& file, const Pickled& module, const std::string& prefix, model::Parameters& all,
                    int depth = 0) {
  const Pickled* const of = attributes(module);
  if (!of || depth > kMostModules) return;
  if (const Pickled* own = of->find("_parameters"))
    for (const auto& [name, value] : own->entries)
      if (auto tensor = file.tensor(*value)) all[prefix + name->text] = std::move(*tensor);
  if (const Pickled* inner = of->find("_modules"))
    for (const auto& [name, value] : inner->entries)
      add_parameters(file, *value, prefix + name->text + ".", all, depth + 1);
}

/// The weights of a half, and what its counts are read from.
class TorchHalf {
 public:
  TorchHalf(TorchFile& file, const model::Parameters& arrays, std::string prefix, const Pickled* module)
      : prefix_(std::move(prefix)) {
    const auto first = arrays.find(prefix_ + "iconv.weight");
    if (first == arrays.end())
      fail(file.path(), ": has no weight ", prefix_, "iconv.weight, as a BPNet of bpnet-lite has");
    filters_ = first->second.size(0);
    while (arrays.contains(concat(prefix_, "rconvs.", layers_, ".weight"))) ++layers_;
    const auto profile = arrays.find(prefix_ + "fconv.weight");
    if (profile == arrays.end() || profile->second.dim() != 3)
      fail(file.path(), ": has no convolution ", prefix_, "fconv");
    strands_ = profile->second.size(0);
    controls_ = profile->second.size(1) - filters_;
    least_ = 47 + (int64_t{2} << layers_) - 2;
    const Pickled* const of = module ? attributes(*module) : nullptr;
    const Pickled* const trimming = of ? of->find("trimming") : nullptr;
    trimming_ = trimming && trimming->is(Kind::integer) ? trimming->integer : least_;
    if (trimming_ < least_)
      fail(file.path(), ": ", prefix_, "trimming is ", trimming_, ", but ", layers_, " layers reach ", least_,
           " bp: such a model reads the zeros beyond its sequence, which bigdna does not");
  }
  int64_t trimming() const { return trimming_; }
  int64_t strands() const { return strands_; }
  int64_t controls() const { return controls_; }
  model_folder::ProfileHalf in(int64_t window, const char* name) const {
    return {name, filters_, layers_, window - 2 * trimming_ + model_folder::ProfileHalf::kProfileWidth - 1};
  }
  void take(HalfReader& reader, const std::string& name) const {
    const auto both = [&](const std::string& from, const std::string& to, bool biased, int64_t size) {
      reader.take(prefix_ + from + ".weight", name + "." + to + ".weight");
      reader.take(prefix_ + from + ".bias", name + "." + to + ".bias", biased, size);
    };
    both("iconv", "first", true, filters_);
    for (int64_t i = 0; i < layers_; ++i) both(concat("rconvs.", i), concat("dilated.", i), true, filters_);
    both("fconv", "profile", false, strands_);
    both("linear", "count", false, 1);
  }

 private:
  std::string prefix_;
  int64_t filters_ = 0, layers_ = 0, strands_ = 0, controls_ = 0, least_ = 0, trimming_ = 0;
};

const Pickled* inner_module(const Pickled& module, const char* name) {
  const Pickled* const of = attributes(module);
  const Pickled* const inner = of ? of->find("_modules") : nullptr;
  return inner ? inner->find(name) : nullptr;
}

}  // namespace

Foreign read_bpnet_lite(const std::string& path) {
  TorchFile file(path);
  const Pickled& root = file.root();
  model::Parameters arrays;
  const bool whole = attributes(root) != nullptr && !root.is_made_by("collections.OrderedDict");
  if (whole && !root.is_made_by(kBpnet) && !root.is_made_by(kChrombpnet))
    fail(path, ": is an object of ", root.of ? root.of->text : "no class", "; bigdna reads ", kBpnet, " and ",
         kChrombpnet, ", and their state dicts");
  if (whole)
    add_parameters(file, root, "", arrays);
  else
    for (const auto& [name, value] : root.entries)
      if (auto tensor = file.tensor(*value)) arrays[name->text] = std::move(*tensor);
  if (arrays.empty()) fail(path, ": holds no model: neither an object of bpnet-lite nor a dictionary of tensors");

  const bool both = arrays.contains("bias.iconv.weight");
  const TorchHalf main(file, arrays, both ? "accessibility." : "",
                       !whole ? nullptr
                       : both ? inner_module(root, "accessibility")
                              : &root);
  Foreign model;
  auto& config = model.config;
  config = {kOutput + 2 * main.trimming(), kOutput, main.strands(), main.controls(), {}};
  config.halves.push_back(main.in(config.window, model_folder::kModelHalf));
  HalfReader reader(arrays, path);
  main.take(reader, model_folder::kModelHalf);
  if (both) {
    const TorchHalf bias(file, arrays, "bias.", whole ? inner_module(root, "bias") : nullptr);
    config.halves.push_back(bias.in(config.window, model_folder::kBiasHalf));
    bias.take(reader, model_folder::kBiasHalf);
  }
  check(config, path);
  model.parameters = reader.finish(config);
  return model;
}

}  // namespace bigdna::profile
