#include "apps/data/info_checkpoint.h"

#include <filesystem>
#include <set>

#include "base/counted.h"
#include "io/json.h"
#include "io/md5.h"
#include "io/output.h"
#include "io/safetensors.h"
#include "model_folder/architecture.h"

namespace bigdna::apps {

namespace fs = std::filesystem;

namespace {
constexpr const char* kParameters = "parameters.safetensors";

/// "modern (ModernBERT), 1 layer, hidden 8, vocabulary of 60 pieces; 1.36 k parameters", as far as the arrays tell.
std::string shape_of(const io::SafetensorsFile& file) {
  std::string text;
  int64_t parameters = 0;
  for (const auto& [name, array] : file.arrays()) parameters += array.count();
  for (const auto* row : model_folder::architectures()) {
    const auto words = file.arrays().find(std::string(row->words));
    if (words == file.arrays().end() || words->second.shape.size() != 2) continue;
    std::set<std::string> layers;
    for (const auto& [name, array] : file.arrays())
      if (name.starts_with(row->layer)) layers.insert(name.substr(0, name.find('.', row->layer.size())));
    text = concat(row->title, ", ", counted(static_cast<int64_t>(layers.size()), "layer"), ", hidden ",
                  words->second.shape[1], ", vocabulary of ", counted(words->second.shape[0], "piece"), "; ");
  }
  return concat(text, log::human(static_cast<double>(parameters)), "parameters");
}

/// What state.json says, and whether the files beside it are as it says.
void describe_state(Page& page, const fs::path& folder, bool checksums) {
  const std::string path = folder / "state.json";
  try {
    const auto state = io::read_json(path);
    page.row("step", state.at("step").get<int64_t>(),
             state.at("progress").value("finished", false) ? ", the last of its run" : "");
    int64_t files = 0;
    for (const auto& [name, recorded] : state.at("files").items()) {
      const std::string file = folder / name;
      const auto bytes = recorded.at("bytes").get<uint64_t>();
      if (!fs::is_regular_file(file)) fail(file, ": is missing");
      if (fs::file_size(file) != bytes)
        fail(file, ": has ", fs::file_size(file), " bytes, but ", bytes, " were written: truncated or altered");
      if (checksums && io::md5_of_file(file) != recorded.at("md5").get<std::string>())
        fail(file, ": its checksum differs from the recorded one: damaged or altered");
      ++files;
    }
    if (checksums) page.row("verified", counted(files, "file"), ", checksums as recorded");
  } catch (const nlohmann::json::exception&) {
    fail(path, ": is not the state of a checkpoint");
  }
}

/// The model folder of a run; "" before it is written.
std::string model_of(const fs::path& run) {
  const fs::path model = run / "model";
  return fs::exists(model / "config.json") ? model.string() : "";
}
}  // namespace

bool is_checkpoint(const std::string& folder) {
  const fs::path path(folder);
  return fs::is_regular_file(path / kParameters) &&
         (fs::exists(path / "state.json") || fs::canonical(path).filename().string().starts_with("best-"));
}

void describe_checkpoint(Page& page, const std::string& folder, bool checksums) {
  const fs::path path(folder);
  const bool resumes = fs::exists(path / "state.json");
  page.title(folder, resumes ? ": a checkpoint of training, from which a run is resumed"
                             : ": the parameters of the best step so far of a run of finetune");
  if (resumes) describe_state(page, path, checksums);
  const std::string parameters = path / kParameters;
  page.row("model", shape_of(io::SafetensorsFile(parameters)));
  page.row("weights", bytes_text(fs::file_size(parameters)), ", ", kParameters);
  const fs::path run = fs::canonical(path).parent_path().parent_path();
  const std::string model = model_of(run);
  page.row("run", run.string());
  page.row("model folder", !model.empty() ? model : "none yet: the run writes it when it ends");
}

void refuse_checkpoints(const std::string& folder) {
  std::error_code in_a_tar;  // which holds no checkpoints
  const auto path = fs::canonical(folder, in_a_tar);
  if (path.filename() != "checkpoints" || !fs::exists(path.parent_path() / "options.json")) return;
  const std::string model = model_of(path.parent_path());
  fail(folder, ": holds the checkpoints of a run; info reads one of them (", folder, "/last)",
       model.empty() ? "" : ", or the run's model (" + model + ")");
}

}  // namespace bigdna::apps
