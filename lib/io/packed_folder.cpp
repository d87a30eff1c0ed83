#include "io/packed_folder.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "io/folder_files.h"
#include "io/job.h"
#include "io/manifest.h"
#include "io/output.h"
#include "io/paths.h"
#include "io/tar.h"
#include "io/temporary_file.h"

namespace bigdna::io {

namespace fs = std::filesystem;

namespace {
std::string around(const std::string& tar) { return tar + ".unpacked"; }

/// What the tar is to hold: all files of a folder of this kind, but not a run's checkpoints, from which only the
/// process that wrote them continues, nor what a process that was killed has left.
std::vector<std::string> files_to_pack(const std::string& kind, const fs::path& folder) {
  auto names = files_in(folder);
  std::erase_if(names, [&](const fs::path& name) {
    return *name.begin() == "checkpoints" || is_temporary_name(name) || !is_file_of(kind, name) ||
           !fs::is_regular_file(folder / name);
  });
  return names;
}

/// Error unless bigdna made all that is in the tar.
void refuse_others_tar(const std::string& tar) {
  std::string kind;
  try {
    kind = kind_of_folder(tar);
  } catch (const Error&) {  // it is no tar, or damaged
  }
  if (kind.empty()) fail(tar, ": exists, and is not a tar that bigdna made: move it away");
  refuse_others(tar, kind, TarIndex(tar).names());
}

/// Error if NAME.tar.unpacked is there and holds anything but the folder that is to be packed.
void refuse_others_folder(const fs::path& around, const fs::path& folder) {
  if (std::error_code error; !fs::exists(fs::symlink_status(around, error))) return;
  constexpr const char* kWhy = "; it is in the way of the folder that is filled there: move it away";
  if (fs::is_symlink(around) || !fs::is_directory(around)) fail(around.string(), ": is not a folder", kWhy);
  for (const auto& entry : fs::directory_iterator(around))
    if (entry.path() != folder && !is_of_system(entry.path()))
      fail(around.string(), ": holds ", entry.path().filename().string(), ", which bigdna did not write", kWhy);
}

void unpack(const std::string& tar, const std::string& folder) {
  for (const auto& name : TarIndex(tar).names()) {
    const std::string file = folder + "/" + name;
    make_folder(fs::path(file).parent_path());
    Bytes bytes(tar + "/" + name);
    AtomicFile out(file);  // Output would compress what is called .gz
    std::ofstream to(out.temporary(), std::ios::binary);
    std::vector<char> buffer(1 << 20);
    while (const size_t got = bytes.read(buffer.data(), buffer.size()))
      if (!to.write(buffer.data(), static_cast<std::streamsize>(got))) fail_writing(file, errno);
    if (!to.flush()) fail_writing(file, errno);
    out.commit();
  }
}
}  // namespace

std::string folder_of_output(const std::string& output) {
  if (is_called_compressed_tar(output))
    throw UsageError(output + ": a compressed tar could not be read where it lies; name it NAME.tar");
  if (!has_suffix(output, {".tar"})) return output;
  const auto name = fs::path(output).stem();
  return around(output) + "/" + (name.empty() ? "folder" : name.string());
}

std::string job_file_of_output(const std::string& output) {
  const auto in = [](const std::string& folder) { return folder + "/" + kJobFile; };
  const std::string made = in(folder_of_output(output));
  return fs::exists(made) ? made : in(output);
}

PackedFolder::PackedFolder(const std::string& output, Existing existing, const std::vector<std::string>& inputs) {
  folder_ = folder_of_output(output);
  if (folder_ == output) return;
  std::error_code ignored;
  if (fs::is_directory(output)) fail(output, ": is a folder; one file is to be written");
  for (const auto& input : inputs)
    if (fs::equivalent(output, on_disk(input), ignored)) fail(output, ": is the input ", input, " itself");
  const bool finished = fs::exists(output);
  if (finished && existing == Existing::refuse)
    fail(output, ": exists (--resume leaves it alone if it is of the same job, --force replaces it)");
  if (finished) refuse_others_tar(output);
  tar_ = output;
  around_ = around(output);
  refuse_others_folder(around_, folder_);
  was_there_ = finished && fs::exists(folder_) && !fs::exists(folder_ + "/" + kUnfinishedMarker);
  unpacked_ = finished && existing == Existing::resume && !fs::exists(folder_);
  if (unpacked_) unpack(tar_, folder_);
}

PackedFolder::~PackedFolder() {
  if (tar_.empty()) return;
  std::error_code ignored;
  if (unpacked_ && !fs::exists(folder_ + "/" + kUnfinishedMarker, ignored)) remove_leftover(folder_);
  fs::remove(around_, ignored);  // if it is empty
}

void PackedFolder::commit() {
  if (tar_.empty() || !fs::exists(folder_)) return;  // nothing was to be written
  const std::string kind = kind_of_folder(folder_);
  if (kind.empty()) return;
  auto names = files_to_pack(kind, folder_);
  const auto count = static_cast<int64_t>(names.size());
  write_tar(folder_, std::move(names), tar_);
  log::info(tar_, ": ", counted(count, "file"), ", ", log::human(static_cast<double>(fs::file_size(tar_))), "B");
  if (!was_there_) remove_leftover_files_of(kind, folder_);
}

}  // namespace bigdna::io
