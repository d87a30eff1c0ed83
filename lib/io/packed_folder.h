/// Output folders that become one file: -o NAME.tar.
#pragma once

#include <string>
#include <vector>

#include "io/folder.h"

namespace bigdna::io {

/// The folder that a command fills for -o `output`: NAME.tar.unpacked/NAME for NAME.tar, which is packed once it is
/// complete; otherwise `output` itself. UsageError for the name of a compressed tar.
std::string folder_of_output(const std::string& output);
/// The job that an earlier process has recorded in the output, or in the folder that is to be packed (io::kJobFile).
std::string job_file_of_output(const std::string& output);

/// Held while a command fills the folder of -o NAME.tar; does nothing for other outputs. A process that is killed
/// leaves the folder, in which --resume continues.
class PackedFolder {
 public:
  /// Error if NAME.tar exists and is a folder or one of the `inputs`, if it is there without --resume and --force, or
  /// if NAME.tar.unpacked holds anything but NAME.
  /// With --resume a finished NAME.tar is unpacked, so that the command finds its result.
  PackedFolder(const std::string& output, Existing existing, const std::vector<std::string>& inputs);
  ~PackedFolder();
  PackedFolder(const PackedFolder&) = delete;
  PackedFolder& operator=(const PackedFolder&) = delete;
  /// Packs the folder, but not its checkpoints, and removes it, unless it was there, finished, beside NAME.tar.
  void commit();

 private:
  std::string tar_, folder_, around_;  // NAME.tar, NAME.tar.unpacked/NAME, NAME.tar.unpacked; "" for other outputs
  bool unpacked_ = false, was_there_ = false;
};

}  // namespace bigdna::io
