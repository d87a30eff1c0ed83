/// A file under a temporary name that goes unless it is kept: at destruction, and where SIGINT, SIGTERM or SIGHUP end the
/// process (a command that catches them itself unwinds instead; SIGKILL leaves it).
#pragma once

#include <string>

namespace bigdna::io {

/// FILE.PID.partial: where a file that will be `target` is written.
std::string temporary_name(const std::string& target);

class TemporaryFile {
 public:
  TemporaryFile() = default;
  TemporaryFile(TemporaryFile&&) = delete;
  ~TemporaryFile();
  /// `path` was created by the caller.
  void take(std::string path);
  /// It has been renamed, and is the caller's again.
  void keep();
  const std::string& path() const { return path_; }
  bool empty() const { return path_.empty(); }

 private:
  std::string path_;
  int slot_ = -1;  // of the names that a signal handler reads
};

}  // namespace bigdna::io
