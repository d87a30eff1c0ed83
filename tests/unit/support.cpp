/// The one file compiled with the checkout's path, so that a clone's tests come from the compiler cache.
#include "support.h"

#include <cstdlib>

namespace bigdna::test {

namespace {
/// Death tests run the program again, with this variable.
constexpr const char* kOfParent = "BIGDNA_TEST_PROGRAM_FOLDER";

struct ProgramFolder {
  std::filesystem::path path;
  pid_t owner = 0;
  ProgramFolder() {
    if (const char* given = std::getenv(kOfParent)) {
      path = given;
      return;
    }
    std::string pattern = (std::filesystem::temp_directory_path() / "bigdna-test-XXXXXX").string();
    path = mkdtemp(pattern.data());
    owner = getpid();
    setenv(kOfParent, path.c_str(), 1);
  }
  ~ProgramFolder() {
    std::error_code ignored;
    if (owner == getpid()) std::filesystem::remove_all(path, ignored);
  }
};
}  // namespace

const std::filesystem::path& program_folder() {
  static const ProgramFolder folder;
  return folder.path;
}

std::string source_folder() { return BIGDNA_SOURCE_DIR; }

std::string data_folder() {
  const char* folder = std::getenv("BIGDNA_DATA");
  return folder ? folder : source_folder() + "/../shared/data";
}

}  // namespace bigdna::test
