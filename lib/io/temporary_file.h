/// A file under a temporary name, removed on destruction unless it is kept, and when SIGINT, SIGTERM or SIGHUP end the
/// process (a command that catches them itself unwinds instead; after SIGKILL the file stays).
#pragma once

#include <string>

namespace bigdna::io {

/// FILE.PID.partial: the name under which `target` is written.
std::string temporary_name(const std::string& target);

class TemporaryFile {
 public:
  TemporaryFile() = default;
  TemporaryFile(TemporaryFile&&) = delete;
  ~TemporaryFile();
  /// `path` was created by the caller.
  void take(std::string path);
  /// The file has been renamed and belongs to the caller again.
  void keep();
  const std::string& path() const { return path_; }
  bool empty() const { return path_.empty(); }

 private:
  std::string path_;
  int slot_ = -1;  // of the names that a signal handler reads
};

}  // namespace bigdna::io
