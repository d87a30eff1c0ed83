#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "base/error.h"
#include "io/job.h"
#include "io/lock.h"
#include "io/manifest.h"
#include "io/output.h"

namespace bigdna::io {

namespace fs = std::filesystem;

namespace {
bool made_by_bigdna(const fs::path& folder) {
  return fs::exists(folder / kUnfinishedMarker) || !kind_of_folder(folder).empty();
}

/// The kind of an output folder's manifest, or of its marker if it is unfinished; "" if neither names one.
std::string kind_in(const fs::path& folder) {
  std::string kind;
  std::ifstream(folder / kUnfinishedMarker) >> kind;
  return kind.empty() ? kind_of_folder(folder) : kind;
}

bool lies_in(const fs::path& file, const fs::path& folder) {
  const auto inner = fs::weakly_canonical(fs::absolute(file)), outer = fs::canonical(folder);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

/// Held until this process ends.
void lock_folder(const std::string& path) {
  static std::set<fs::path> locked;
  const auto folder = fs::canonical(path);
  if (!locked.contains(folder)) lock(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), path);
  locked.insert(folder);
}

/// Creates and locks the folder, with the errors of prepare_output_folder(). Returns whether it was empty.
bool open_output_folder(const OutputFolder& folder) {
  const std::string& path = folder.path;
  std::error_code error;
  if (fs::exists(path) && !fs::is_directory(path)) fail(path, ": exists and is not a folder");
  if (fs::create_directories(path, error); error) fail(path, ": ", error.message());
  lock_folder(path);
  const fs::directory_iterator entries(path, error);
  if (error) fail(path, ": ", error.message());
  if (entries == fs::directory_iterator()) return true;
  if (folder.existing == Existing::refuse) fail(path, ": is not empty (--resume continues, --force replaces)");
  if (!made_by_bigdna(path)) fail(path, ": is not empty, and was not made by bigdna");
  if (const std::string kind = kind_in(path); !kind.empty() && kind != folder.kind)
    fail(path, ": holds a ", kind, ", not a ", folder.kind);
  if (folder.existing == Existing::resume) require_same_job(path);
  if (folder.existing == Existing::replace)
    for (const std::string& input : folder.inputs)
      if (fs::exists(input, error) && lies_in(input, path))
        fail(path, ": holds the input ", input, ", which --force would delete");
  return false;
}

/// Written directly under its name: if the process is killed, a temporary file would not mark the folder as bigdna's.
void mark_unfinished(const OutputFolder& folder) {
  const auto marker = fs::path(folder.path) / kUnfinishedMarker;
  if (!(std::ofstream(marker) << folder.kind << '\n').flush()) fail(marker.string(), ": ", errno_text(errno));
}

/// The job that fills a folder is recorded before anything else is written into it.
void record_job(const std::string& path) {
  const std::string record = path + "/" + kJobFile;
  if (is_folder_of_job(path) && !fs::exists(record)) job().save(record);
}

void remove_all_but(const fs::path& folder, const fs::path& kept) {
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path() != kept) fs::remove_all(entry.path());
}
void remove_partial_files(const fs::path& folder) {  // temporary files of a run that was killed
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".partial") fs::remove(entry.path());
}
void move_all(const fs::path& from, const fs::path& to) {
  fs::create_directory(to);
  for (const auto& entry : fs::directory_iterator(from))
    if (entry.path() != to) fs::rename(entry.path(), to / entry.path().filename());
}
}  // namespace

void prepare_output_folder(const OutputFolder& folder) {
  const bool empty = open_output_folder(folder);
  if (empty || folder.existing == Existing::replace) mark_unfinished(folder);  // before anything is removed
  if (folder.existing == Existing::replace)
    remove_all_but(folder.path, fs::path(folder.path) / kUnfinishedMarker);
  else
    remove_partial_files(folder.path);
  record_job(folder.path);
}

void discard_output_folder(const std::string& path, bool existed) {
  remove_all_but(path, {});
  if (!existed) fs::remove(path);
}

void build_output_folder(const OutputFolder& folder, const std::function<void()>& build) {
  if (folder.existing == Existing::resume && is_complete(folder.path, folder.kind)) return;
  const fs::path path = folder.path, aside = path / ".replaced";
  const bool existed = fs::exists(path);
  const bool empty = open_output_folder(folder);
  if (fs::exists(aside))  // left by a build that was killed: keep what it had moved aside
    remove_all_but(path, aside);
  else if (!empty && folder.existing == Existing::replace)
    move_all(path, aside);
  else
    remove_partial_files(path);
  mark_unfinished(folder);
  try {
    record_job(folder.path);
    build();
  } catch (...) {
    if (fs::exists(aside)) {
      remove_all_but(path, aside);
      move_all(aside, path);
      fs::remove(aside);
    } else {
      discard_output_folder(folder.path, existed);
    }
    throw;
  }
  fs::remove_all(aside);
}

void refuse_shared_files(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
  std::error_code ignored;
  std::map<std::string, std::string> taken;  // path on disk -> path as given
  for (const auto& output : outputs) {
    // /dev/null takes any number
    if (output.empty() || (fs::exists(output, ignored) && !fs::is_regular_file(output, ignored))) continue;
    const auto place = output == "-" ? output : fs::weakly_canonical(fs::absolute(output), ignored).string();
    if (const auto [other, is_new] = taken.emplace(place, output); !is_new)
      throw UsageError(concat(output == "-" ? "stdout" : output, ": two outputs would be written to it",
                              other->second == output ? "" : " (the other as " + other->second + ")"));
    for (const auto& input : inputs)
      if (output != "-" && input != "-" && fs::equivalent(output, input, ignored))
        fail(output, ": is the input ", input, " itself");
  }
}

void refuse_outputs_in(const std::vector<std::string>& outputs, const std::vector<std::string>& folders) {
  std::error_code ignored;
  for (const auto& output : outputs)
    for (const auto& folder : folders)
      if (!output.empty() && output != "-" && fs::is_directory(folder, ignored) && lies_in(output, folder))
        fail(output, ": is inside the input folder ", folder, "; choose another output path");
}

}  // namespace bigdna::io
