/// A file under a temporary name. It is removed on destruction unless it is kept, and when SIGINT, SIGTERM or SIGHUP
/// ends the process (a command that catches these signals unwinds instead). After SIGKILL the file stays.
#pragma once

#include <string>
#include <vector>

namespace bigdna::io {

/// FILE.PID.partial: the name under which `target` is written.
std::string temporary_name(const std::string& target);
/// Removes all temporary files of this process. A signal handler may call it.
void remove_temporary_files();
/// Removes such files of `targets` that are left of processes of this machine that have ended. To be called by the only
/// process that writes the targets.
void remove_abandoned(const std::vector<std::string>& targets);

class TemporaryFile {
 public:
  TemporaryFile() = default;
  TemporaryFile(TemporaryFile&&) = delete;
  ~TemporaryFile();
  /// Creates the file under whose name `target` is written, and opens it for reading and writing. A file or link that
  /// has the name already is removed, never opened: in a folder that others can write to, it may be a trap. Returns
  /// the descriptor, which stays open until the object is destroyed or renamed; -1 with errno if that fails.
  int create(const std::string& target);
  /// Renames the file to its target and closes it, after which it is kept. 0, or the errno; ESTALE if another process
  /// has put something else under the temporary name.
  int rename(const std::string& target);
  int descriptor() const { return fd_; }
  const std::string& path() const { return path_; }
  bool empty() const { return path_.empty(); }

 private:
  void take(std::string path);
  void keep();

  std::string path_;
  int fd_ = -1;
  int slot_ = -1;  // in the table of names that the signal handler reads
};

}  // namespace bigdna::io
