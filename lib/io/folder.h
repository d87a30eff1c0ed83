/// Folders that commands write: locked, resumed or replaced, and never another program's.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace bigdna::io {

/// Whether file systems, desktops or workflow engines put files of this name into folders (.nfs0001, .DS_Store,
/// .snakemake_timestamp, lost+found ...). They count as nothing in an output folder, and stay.
bool is_of_system(const std::filesystem::path& file);
/// Removes what nothing needs any more. Where that fails, as on NFS while another process has a file open, a warning
/// says so: no job ends for it.
void remove_leftover(const std::filesystem::path& path);

/// What a command does with an output folder that is not empty.
enum class Existing { refuse, resume, replace };  // default, --resume, --force
/// A folder to be written, of a manifest's kind ("vocabulary", "run" ...).
struct OutputFolder {
  std::string path, kind;
  Existing existing = Existing::refuse;
  std::vector<std::string> inputs = {};  // files that the command reads: `replace` refuses to delete them
};
/// Creates the folder (and its parents) and locks it until this process ends; the lock is a no-op where flock() is
/// unsupported. Error if it is not empty (naming --resume and --force), not writable, or written by another process.
/// `resume` and `replace` accept only a folder of this kind that bigdna made (it has the manifest, kUnfinishedMarker or
/// the job of this command), never another program's folder or, say, a run instead of a dataset. `replace` empties it;
/// Error naming a file in it that bigdna did not write (io/folder_files.h). With --resume=replace, `resume`
/// becomes `replace` where another job has made the folder (Job::continues).
void prepare_output_folder(OutputFolder folder);
/// Removes temporary files (is_temporary_name) of a run that was killed.
void remove_partial_files(const std::string& folder);
/// Takes back what was written into a folder that is prepared: empties it, and removes it unless it `existed` before.
void discard_output_folder(const std::string& path, bool existed);
/// Prepares the folder likewise and calls `build`, which writes all of it. With `replace`, the old contents stay in
/// FOLDER/.replaced until build() has succeeded, and are restored if it throws, or if a later call throws after a kill;
/// a folder that was created here is then removed. With `resume`, a finished folder of this kind is left as it is
/// (is_complete) and build is not called.
void build_output_folder(OutputFolder folder, const std::function<void()>& build);

}  // namespace bigdna::io
