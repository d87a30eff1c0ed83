#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "base/error.h"
#include "io/manifest.h"
#include "io/output.h"

namespace bigdna::io {

namespace fs = std::filesystem;

namespace {
bool is_ours(const fs::path& folder) {
  if (fs::exists(folder / kUnfinishedMarker)) return true;
  for (const std::string& name : manifest_names())
    if (fs::exists(folder / name)) return true;
  return false;
}

/// For as long as this process lives; a file system that knows no locks does not stop anybody.
void lock(const std::string& path) {
  static std::set<fs::path> locked;
  const auto folder = fs::canonical(path);
  if (locked.contains(folder)) return;
  const int file = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(file);
    fail(path, ": another command is writing it now");
  }
  locked.insert(folder);
}
}  // namespace

void prepare_output_folder(const std::string& path, Existing existing) {
  std::error_code error;
  if (fs::exists(path) && !fs::is_directory(path)) fail(path, ": exists and is no folder");
  if (fs::create_directories(path, error); error) fail(path, ": ", error.message());
  lock(path);
  const fs::directory_iterator entries(path, error);
  if (error) fail(path, ": ", error.message());
  const bool empty = entries == fs::directory_iterator();
  if (!empty && existing == Existing::refuse) fail(path, ": is not empty (--resume continues, --force replaces)");
  if (!empty && !is_ours(path)) fail(path, ": is not empty, and nothing in it says that bigdna made it");
  if (existing == Existing::replace)
    for (const auto& entry : fs::directory_iterator(path)) fs::remove_all(entry.path());
  else
    for (const auto& entry : fs::directory_iterator(path))  // what a killed run left under temporary names
      if (entry.path().extension() == ".partial") fs::remove(entry.path());
  if (empty || existing == Existing::replace) {
    // Made in one go: a temporary name that a kill leaves behind would not say that the folder is ours.
    const auto marker = fs::path(path) / kUnfinishedMarker;
    if (!std::ofstream(marker)) fail(marker.string(), ": ", errno_text(errno));
  }
}

void refuse_shared_files(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
  std::error_code ignored;
  std::map<std::string, std::string> taken;  // as it lies on disk: as it was given
  for (const auto& output : outputs) {
    if (output.empty() || (fs::exists(output, ignored) && !fs::is_regular_file(output, ignored))) continue;  // /dev/null takes any number
    const auto place = output == "-" ? output : fs::weakly_canonical(fs::absolute(output), ignored).string();
    if (const auto [other, is_new] = taken.emplace(place, output); !is_new)
      fail(output, ": two outputs would be written to it", other->second == output ? "" : " (the other as " + other->second + ")");
    for (const auto& input : inputs)
      if (output != "-" && input != "-" && fs::equivalent(output, input, ignored)) fail(output, ": is the input ", input, " itself");
  }
}

}  // namespace bigdna::io
