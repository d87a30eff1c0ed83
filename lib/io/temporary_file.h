/// A file under a temporary name. It is removed on destruction unless it is kept, and by remove_temporary_files() when
/// a signal ends the program (base/signals.h). After SIGKILL the file stays.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace bigdna::io {

/// What a link points to in the end, whether it is there or not; any other path as it is. An output that is a link
/// stays one, and what is behind it is made or replaced. Error if links lead in a circle.
std::string behind_links(const std::string& path);
/// FILE.PID.partial: the name under which `target` is written. FILE is cut where the name would be too long.
std::string temporary_name(const std::string& target);
/// Whether a path ends as such a name: ".PID.partial" with a number.
bool is_temporary_name(const std::string& path);
/// Removes all temporary files of this process. A signal handler may call it.
void remove_temporary_files();
/// Removes such files of the outputs that are left of processes of this machine that have ended, even where others have
/// their numbers now. To be called by the only process that writes the outputs.
void remove_abandoned(const std::vector<std::string>& outputs);

class TemporaryFile {
 public:
  TemporaryFile() = default;
  TemporaryFile(TemporaryFile&&) = delete;
  ~TemporaryFile();
  /// Creates the file under whose name `target` is written, and opens it for reading and writing. A file or link that
  /// has the name already is removed, never opened: in a folder that others can write to, it may be a trap. Returns
  /// the descriptor, which stays open until the object is destroyed or renamed; -1 with errno if that fails. Where
  /// `target` exists, its owner, group and permissions are kept, as far as this is permitted.
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
  std::optional<mode_t> mode_;  // of the file that is replaced
  int slot_ = -1;               // in the table of names that the signal handler reads
};

}  // namespace bigdna::io
