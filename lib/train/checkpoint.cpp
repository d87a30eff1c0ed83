#include "train/checkpoint.h"

#include <ATen/ops/from_blob.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <set>

#include "base/counted.h"
#include "base/log.h"
#include "io/folder_files.h"
#include "io/json.h"
#include "io/manifest.h"
#include "io/output.h"
#include "io/safetensors.h"

namespace bigdna::train {

namespace fs = std::filesystem;

namespace {

constexpr const char* kParameters = "parameters.safetensors";
constexpr const char* kFirst = "exp_avg.safetensors";
constexpr const char* kSecond = "exp_avg_sq.safetensors";
constexpr const char* kState = "state.json";

std::string numbered(const char* kind, int64_t step) {
  char name[40];
  std::snprintf(name, sizeof name, "%s-%09lld", kind, static_cast<long long>(step));
  return name;
}

/// The steps of the complete folders kind-N, ascending.
std::vector<int64_t> steps_of(const std::string& folder, const std::string& kind) {
  std::vector<int64_t> steps;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(kind + "-")) continue;
    int64_t step = 0;
    const auto [end, error] = std::from_chars(name.data() + kind.size() + 1, name.data() + name.size(), step);
    if (error == std::errc{} && end == name.data() + name.size()) steps.push_back(step);
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

/// A name that is free for a folder that is not complete, or no longer.
fs::path free_partial(const fs::path& target) {
  fs::path partial = target.string() + ".partial";
  for (int number = 2; fs::exists(partial); ++number) partial = concat(target.string(), ".", number, ".partial");
  return partial;
}

/// Takes its name from a folder that nothing needs any more, before it is removed: what remains where that fails, as on
/// NFS while another process has a file open, is no checkpoint.
void discard(const fs::path& folder) {
  std::error_code error;
  const fs::path partial = free_partial(folder);
  fs::rename(folder, partial, error);
  io::remove_leftover_files_of("checkpoint", error ? folder : partial);
}

/// A folder that gets its name only once it is complete.
template <class Fill>
void write_folder(const fs::path& target, Fill fill) {
  const fs::path partial = free_partial(target);
  std::error_code error;
  fs::create_directory(partial, error);
  if (error) fail(partial.string(), ": ", error.message());
  try {
    fill(partial);
    if (fs::exists(target)) discard(target);
    fs::rename(partial, target);
  } catch (...) {
    fs::remove_all(partial, error);
    throw;
  }
}

/// Makes FOLDER/last, a link to the newest checkpoint; warns on file systems without links. bigdna itself does not need
/// it.
void point_last(const std::string& folder, const std::string& name) {
  const fs::path link = fs::path(folder) / "last", fresh = fs::path(folder) / "last.partial";
  std::error_code error;
  fs::remove(fresh, error);
  fs::create_symlink(name, fresh, error);
  if (!error) fs::rename(fresh, link, error);
  if (error) log::warn(link.string(), ": ", error.message());
}

void describe(nlohmann::ordered_json& files, const fs::path& folder, const char* name) {
  files[name] = {{"bytes", fs::file_size(folder / name)}, {"md5", io::md5_of_file(folder / name)}};
}

/// Reads the state.json of a checkpoint; Error if one of its files is missing or altered.
nlohmann::ordered_json checked_state(const fs::path& folder) {
  const std::string path = folder / kState;
  auto state = io::read_json(path);
  for (const auto& [name, file] : state.at("files").items()) {
    io::require_inner(name, path);
    const std::string file_path = folder / name;
    if (!fs::exists(file_path)) fail(file_path, ": missing");
    if (fs::file_size(file_path) != file.at("bytes").get<uint64_t>()) fail(file_path, ": truncated");
    if (io::md5_of_file(file_path) != file.at("md5").get<std::string>())
      fail(file_path, ": altered since it was written");
  }
  return state;
}

}  // namespace

void load_tensors(model::Parameters& like, const std::string& path) {
  c10::NoGradGuard no_grad;
  const io::SafetensorsFile file(path);
  if (file.arrays().size() != like.size())
    fail(path, ": has ", counted(file.arrays().size(), "array"), ", but this model needs ", like.size());
  for (auto& [name, tensor] : like) {
    const io::ArrayView& array = file.at(name);
    if (array.shape != tensor.sizes().vec()) fail(path, ": ", name, " has another shape than in this model");
    const auto values = array.as<float>(concat(path, ": ", name));
    tensor.copy_(
        at::from_blob(const_cast<float*>(values.data()), tensor.sizes(), at::TensorOptions().dtype(at::kFloat)));
  }
}

Checkpoints::Checkpoints(std::string folder, int64_t keep)
    : folder_(std::move(folder)), keep_(std::max<int64_t>(1, keep)) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) fail(folder_, ": ", error.message());
  remove_partial();
}

void Checkpoints::remove_partial() const {
  std::vector<fs::path> partial;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename();
    if (entry.path().extension() == ".partial" && (name.starts_with("step-") || name.starts_with("best-")))
      partial.push_back(entry.path());
  }
  for (const auto& path : partial) io::remove_leftover_files_of("checkpoint", path);
}

bool Checkpoints::any(const std::string& folder) { return fs::exists(folder) && !steps_of(folder, "step").empty(); }

void Checkpoints::save(const State& state) {
  write_folder(fs::path(folder_) / numbered("step", state.step), [&](const fs::path& folder) {
    model::save_weights(state.parameters, folder / kParameters);
    model::save_weights(state.optimiser.exp_avg, folder / kFirst);
    model::save_weights(state.optimiser.exp_avg_sq, folder / kSecond);
    nlohmann::ordered_json json = {
        {"step", state.step}, {"optimiser_step", state.optimiser.step}, {"progress", state.progress}};
    for (const char* name : {kParameters, kFirst, kSecond}) describe(json["files"], folder, name);
    io::write_file(folder / kState, json.dump(1) + "\n");
  });
  remove_partial();  // what could not be removed after an earlier one
  point_last(folder_, numbered("step", state.step));
  auto steps = steps_of(folder_, "step");
  // Later checkpoints belong to a run that was then resumed from an earlier one, so they are outdated.
  while (!steps.empty() && steps.back() > state.step) {
    discard(fs::path(folder_) / numbered("step", steps.back()));
    steps.pop_back();
  }
  while (static_cast<int64_t>(steps.size()) > keep_) {
    discard(fs::path(folder_) / numbered("step", steps.front()));
    steps.erase(steps.begin());
  }
  std::set<int64_t> wanted;
  for (const int64_t step : steps) {
    try {
      const auto json = io::read_json(fs::path(folder_) / numbered("step", step) / kState);
      wanted.insert(json.at("progress").value("best_step", int64_t{-1}));
    } catch (const std::exception&) {  // a damaged older checkpoint refers to no best-N
    }
  }
  for (const int64_t step : steps_of(folder_, "best"))
    if (!wanted.count(step)) discard(fs::path(folder_) / numbered("best", step));
}

bool Checkpoints::load_last(State& state) {
  auto steps = steps_of(folder_, "step");
  if (steps.empty()) return false;
  for (; !steps.empty(); steps.pop_back()) {
    const fs::path folder = fs::path(folder_) / numbered("step", steps.back());
    nlohmann::ordered_json json;
    try {
      json = checked_state(folder);
      state.step = json.at("step").get<int64_t>();
      state.optimiser.step = json.at("optimiser_step").get<int64_t>();
      state.progress = json.at("progress");
    } catch (const std::exception& e) {
      log::warn("the checkpoint is damaged, using the one before: ", e.what());
      continue;
    }
    load_tensors(state.parameters, folder / kParameters);
    load_tensors(state.optimiser.exp_avg, folder / kFirst);
    load_tensors(state.optimiser.exp_avg_sq, folder / kSecond);
    return true;
  }
  fail(folder_, ": every checkpoint is damaged; start again with --force");
}

void Checkpoints::save_best(const model::Parameters& parameters, int64_t step) {
  write_folder(fs::path(folder_) / numbered("best", step),
               [&](const fs::path& folder) { model::save_weights(parameters, folder / kParameters); });
}

void Checkpoints::load_best(model::Parameters& parameters, int64_t step) const {
  load_tensors(parameters, fs::path(folder_) / numbered("best", step) / kParameters);
}

bool Checkpoints::has_best(int64_t step) const {
  return fs::exists(fs::path(folder_) / numbered("best", step) / kParameters);
}

}  // namespace bigdna::train
