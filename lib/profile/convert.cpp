#include "profile/convert.h"

#include <algorithm>

#include "base/error.h"
#include "base/finite.h"
#include "base/log.h"
#include "io/paths.h"
#include "profile/foreign.h"

namespace bigdna::profile {
namespace {

struct Reader {
  const char* suffix;
  const char* program;
  Foreign (*read)(const std::string&);
};
constexpr Reader kReaders[] = {{".h5", "chrombpnet", read_keras},
                               {".hdf5", "chrombpnet", read_keras},
                               {".torch", "bpnet-lite", read_bpnet_lite},
                               {".pt", "bpnet-lite", read_bpnet_lite},
                               {".pth", "bpnet-lite", read_bpnet_lite}};
const Reader* reader_of(const std::string& path) {
  const auto found = std::ranges::find_if(kReaders, [&](const auto& row) { return path.ends_with(row.suffix); });
  return found == std::end(kReaders) ? nullptr : found;
}

void write(const Foreign& model, const std::string& input, const std::string& output, io::Dtype weights,
           io::Existing existing, io::Manifest manifest) {
  manifest.add_input(input);
  io::prepare_output_folder({output, "model", existing, {input}});
  model::save_weights(model.parameters, output + "/model.safetensors", weights);
  write_profile_folder(output, model.config, std::move(manifest));
  const auto& config = model.config;
  log::info(output, ": a profile model", config.has_bias() ? " with its bias model" : "", ", ", parameter_count(config),
            " parameters, reads ", config.window, " bp, predicts ", config.output, " bp");
}

}  // namespace

bool is_foreign(const std::string& path) { return reader_of(path) && !io::is_folder(path); }

void import_model(const std::string& input, const std::string& output, io::Dtype weights, io::Existing existing) {
  if (!io::exists(input)) fail(input, ": no such file or folder");
  const auto& reader = *reader_of(input);
  const auto model = reader.read(input);
  for (const auto& [name, value] : model.parameters)
    if (!all_finite({value.const_data_ptr<float>(), static_cast<size_t>(value.numel())}))
      fail(input, ": the weight ", name, " holds numbers that are not finite");
  io::Manifest manifest;
  manifest.details["program"] = reader.program;
  write(model, input, output, weights, existing, std::move(manifest));
}

void convert_profile(const std::string& input, const std::string& output, io::Dtype weights, io::Existing existing) {
  const auto folder = model_folder::ProfileFolder::open(input);
  io::Manifest manifest;
  manifest.details = folder.manifest.details;
  manifest.details.erase("files");
  write({folder.config, model::load_arrays(folder.weights_path())}, folder.weights_path(), output, weights, existing,
        std::move(manifest));
}

}  // namespace bigdna::profile
