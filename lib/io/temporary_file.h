/// A file under a temporary name. It is removed on destruction unless it is kept, and when SIGINT, SIGTERM or SIGHUP
/// ends the process (a command that catches these signals unwinds instead). After SIGKILL the file stays.
#pragma once

#include <string>
#include <vector>

namespace bigdna::io {

/// FILE.PID.partial: the name under which `target` is written.
std::string temporary_name(const std::string& target);
/// Removes such files of `targets` that are left of processes of this machine that have ended. To be called by the only
/// process that writes the targets.
void remove_abandoned(const std::vector<std::string>& targets);

class TemporaryFile {
 public:
  TemporaryFile() = default;
  TemporaryFile(TemporaryFile&&) = delete;
  ~TemporaryFile();
  /// Takes over the file `path`, which the caller has created.
  void take(std::string path);
  /// Gives the file up, e.g. once it has been renamed.
  void keep();
  const std::string& path() const { return path_; }
  bool empty() const { return path_.empty(); }

 private:
  std::string path_;
  int slot_ = -1;  // in the table of names that the signal handler reads
};

}  // namespace bigdna::io
