/// A folder for files that only this process reads.
#pragma once

#include <string>

namespace bigdna::io {

/// A new folder under $TMPDIR that is removed with the object. Error if it cannot be made.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace bigdna::io
