#include "io/temporary_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <filesystem>

#include "base/error.h"

namespace bigdna::io {

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error);
  if (error) fail("TMPDIR: ", error.message(), " (it names the folder for temporary files)");
  std::string pattern = (folder / "bigdna-XXXXXX").string();
  if (!mkdtemp(pattern.data())) fail(pattern, ": ", errno_text(errno));
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace bigdna::io
