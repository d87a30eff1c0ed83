#include "io/folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "base/error.h"
#include "base/log.h"
#include "io/folder_files.h"
#include "io/job.h"
#include "io/lock.h"
#include "io/manifest.h"
#include "io/output.h"
#include "io/paths.h"
#include "io/provenance.h"
#include "io/temporary_file.h"
#include "io/write_all.h"

namespace bigdna::io {

namespace fs = std::filesystem;

namespace {
constexpr const char* kReplaced = ".replaced";    // what a build replaces, until it is complete
constexpr const char* kReplacing = ".replacing";  // what is on its way aside or back: nothing else beside it is new

/// A workflow engine deletes the manifest, if that is what it takes for the output, before it makes it again.
bool made_by_bigdna(const fs::path& folder) {
  return fs::exists(folder / kUnfinishedMarker) || !kind_of_folder(folder).empty() || is_of_this_command(folder);
}

/// The kind of an output folder's manifest, or of its marker if it is unfinished; "" if neither names one.
std::string kind_in(const fs::path& folder) {
  std::string kind;
  std::ifstream(folder / kUnfinishedMarker) >> kind;
  return kind.empty() ? kind_of_folder(folder) : kind;
}

bool lies_in(const std::string& file, const fs::path& folder) {
  const auto inner = fs::weakly_canonical(fs::absolute(behind_links(file))), outer = fs::canonical(folder);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

/// Held until this process ends.
void lock_folder(const std::string& path) {
  static std::set<fs::path> locked;
  const auto folder = fs::canonical(path);
  if (!locked.contains(folder)) lock(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), path);
  locked.insert(folder);
}

/// Error naming a file that bigdna did not write.
void refuse_others_in(const fs::path& folder, const std::string& kind) {
  auto names = files_in(folder);
  std::erase_if(names, [](const fs::path& name) { return *name.begin() == kReplaced || *name.begin() == kReplacing; });
  refuse_others(folder.string(), kind, names);
}

/// The entries of a folder but for those of the system.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder))
    if (!is_of_system(entry.path())) entries.push_back(entry.path());
  return entries;
}

/// Creates and locks the folder, with the errors of prepare_output_folder(). Returns whether it was empty. `resume`
/// becomes `replace` if --resume=replace was given and another job has made the folder.
bool open_output_folder(OutputFolder& folder) {
  const std::string& path = folder.path;
  std::error_code error;
  if (fs::exists(path) && !fs::is_directory(path)) fail(path, ": exists and is not a folder");
  make_folder(path);
  lock_folder(path);
  if (fs::directory_iterator(path, error); error) fail(path, ": ", error.message());
  if (entries_of(path).empty()) return true;
  if (folder.existing == Existing::refuse) fail(path, ": is not empty (--resume continues, --force replaces)");
  if (!made_by_bigdna(path)) fail(path, ": is not empty, and was not made by bigdna");
  if (const std::string kind = kind_in(path); !kind.empty() && kind != folder.kind)
    fail(path, ": holds a ", kind, ", not a ", folder.kind);
  if (folder.existing == Existing::resume && !is_of_this_job(path)) folder.existing = Existing::replace;
  if (folder.existing == Existing::replace) {
    for (const std::string& input : folder.inputs)
      if (fs::exists(input, error) && lies_in(input, path))
        fail(path, ": holds the input ", input, ", which --force would delete");
    refuse_others_in(path, folder.kind);
  }
  return false;
}

/// The kind and, for people, the command. Written directly under its name: if the process is killed, a temporary file
/// would not mark the folder as bigdna's.
void mark_unfinished(const OutputFolder& folder) {
  const auto marker = fs::path(folder.path) / kUnfinishedMarker;
  const bool existed = fs::exists(marker);
  const int fd = open(marker.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
  int error_number = fd < 0 ? errno : write_all(fd, folder.kind + "\n" + deciding_command() + "\n");
  if (fd >= 0 && close(fd) != 0 && !error_number) error_number = errno;
  if (!error_number) return;
  std::error_code ignored;
  if (!existed) fs::remove(marker, ignored);
  fail(marker.string(), ": ", errno_text(error_number));
}

/// The job that fills a folder is recorded before anything else is written into it; a resumed one, if it has other
/// values of options that are only recorded.
void record_job(const std::string& path) {
  const std::string record = path + "/" + kJobFile;
  if (!is_folder_of_job(path)) return;
  if (fs::exists(record))
    job().record_again(record);
  else
    job().save(record);
}

/// Removes what a build has replaced. It gets the name of a temporary file first, so that another build can take its
/// own.
void remove_replaced(const fs::path& aside) {
  std::error_code error;
  const fs::path renamed = temporary_name(aside.string());
  fs::rename(aside, renamed, error);
  remove_leftover(error ? aside : renamed);
}
void move_all_but(const std::set<fs::path>& kept, const fs::path& from, const fs::path& to) {
  fs::create_directory(to);
  for (const auto& entry : entries_of(from))
    if (!kept.contains(entry)) fs::rename(entry, to / entry.filename());
}
}  // namespace

void make_folder(const std::string& path) {
  std::error_code error;
  if (fs::create_directories(path, error); error) fail(path, ": ", error.message());
}

void remove_partial_files(const std::string& folder) {
  for (const auto& entry : entries_of(folder))
    if (is_temporary_name(entry)) remove_leftover(entry);
}

void prepare_output_folder(OutputFolder folder) {
  const fs::path path = folder.path;
  const bool existed = fs::exists(path);
  const bool empty = open_output_folder(folder);
  try {
    if (empty || folder.existing == Existing::replace) mark_unfinished(folder);  // before anything is removed
    if (folder.existing == Existing::replace)
      remove_files_of(folder.kind, path, {path / kUnfinishedMarker});
    else
      remove_partial_files(path);
    record_job(folder.path);
  } catch (...) {
    if (empty) discard_output_folder(folder.path, existed);
    throw;
  }
}

void discard_output_folder(const std::string& path, bool existed) {
  std::error_code ignored;
  remove_files_of(kind_in(path), path);
  if (!existed) fs::remove(path, ignored);
}

void build_output_folder(OutputFolder folder, const std::function<void()>& build) {
  const fs::path path = folder.path, marker = path / kUnfinishedMarker, aside = path / kReplaced;
  const fs::path moving = path / kReplacing;
  if (folder.existing == Existing::resume && !fs::exists(marker) && is_complete(folder.path, folder.kind)) return;
  const bool existed = fs::exists(path);
  const bool empty = open_output_folder(folder);
  const bool has_manifest = !kind_of_folder(folder.path).empty(), complete = has_manifest && !fs::exists(marker);
  if (!empty && (has_manifest || fs::exists(aside) || fs::exists(moving))) refuse_others_in(path, folder.kind);
  bool building = false;
  std::set<fs::path> before;  // what the build finds, and does not take away if it fails
  try {
    mark_unfinished(folder);
    if (complete && fs::exists(aside)) remove_replaced(aside);  // of a build that was killed at its very end
    if (fs::exists(aside)) {  // of a build that was killed: keep what it had moved aside
      remove_files_of(folder.kind, path, {aside, marker});
    } else if (fs::exists(moving) || has_manifest || (!empty && folder.existing == Existing::replace)) {
      move_all_but({moving, marker}, path, moving);
      fs::rename(moving, aside);
    } else {
      remove_partial_files(path);
    }
    for (const auto& entry : fs::directory_iterator(path)) before.insert(entry.path());
    building = true;
    record_job(folder.path);
    build();
  } catch (...) {
    if (building) {
      remove_files_of(folder.kind, path, before);
      if (fs::exists(aside)) fs::rename(aside, moving);
    }
    if (fs::exists(moving)) move_all_but({}, moving, path);
    std::error_code ignored;
    fs::remove(moving, ignored);
    const bool alone = entries_of(path).size() == 1;
    if (building && (alone || !kind_of_folder(folder.path).empty())) fs::remove(marker);
    if (!existed) fs::remove(path, ignored);
    throw;
  }
  if (fs::exists(aside)) remove_replaced(aside);
}

void refuse_shared_files(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
  std::error_code ignored;
  std::map<std::string, std::string> taken;  // path on disk, or number of a descriptor -> path as given
  for (const auto& output : outputs) {
    const auto descriptor = descriptor_of(output);
    if (output.empty() || (!descriptor && is_written_directly(output))) continue;  // /dev/null takes any number
    const auto place = descriptor ? std::to_string(*descriptor)
                                  : fs::weakly_canonical(fs::absolute(behind_links(output)), ignored).string();
    if (const auto [other, is_new] = taken.emplace(place, output); !is_new)
      throw UsageError(concat(output == "-" ? "stdout" : output, ": two outputs would be written to it",
                              other->second == output ? "" : " (the other as " + other->second + ")"));
    for (const auto& input : inputs)
      if (!descriptor && input != "-" && fs::equivalent(output, on_disk(input), ignored))
        fail(output, ": is the input ", input, " itself");
  }
}

void refuse_outputs_in(const std::vector<std::string>& outputs, const std::vector<std::string>& folders) {
  std::error_code ignored;
  for (const auto& output : outputs)
    for (const auto& folder : folders)
      if (!output.empty() && !is_written_directly(output) && fs::is_directory(folder, ignored) &&
          lies_in(output, folder))
        fail(output, ": is inside the input folder ", folder, "; choose another output path");
}

}  // namespace bigdna::io
