/// What unit tests share: a folder that vanishes, the real data, and the text of an error.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace bigdna::test {

/// The folder under $TMPDIR of this test program and of the processes of its death tests, which find it by the same
/// name. It is removed when the program ends, with all that those which were killed left in it.
const std::filesystem::path& program_folder();

/// A new empty folder in program_folder(), removed with all it holds at the end of the scope.
class TempDir {
 public:
  TempDir() {
    std::string pattern = (program_folder() / "XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TempDir() { std::filesystem::remove_all(path_); }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }
  size_t entries() const {
    return static_cast<size_t>(
        std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
  }

 private:
  std::filesystem::path path_;
};

/// The checkout the tests were built from.
std::string source_folder();
/// $BIGDNA_DATA, default <source>/../shared/data.
std::string data_folder();

/// The message of what `body` throws; "" where it throws nothing.
template <class Body>
std::string error_of(Body body) {
  try {
    body();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace bigdna::test

/// The path of a file or folder of the real data, or the test is skipped, and says so.
#define BIGDNA_REAL_DATA(variable, name)                                 \
  const std::string variable = bigdna::test::data_folder() + "/" + name; \
  if (!std::filesystem::exists(variable)) GTEST_SKIP() << "no real data: " << variable
