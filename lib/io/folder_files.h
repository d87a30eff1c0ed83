/// What bigdna writes into its folders, by name: nothing else is ever packed, moved or removed there.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "io/folder.h"

namespace bigdna::io {

/// Whether bigdna writes a file of this name, relative to a folder of `kind` (a manifest's), into such a folder.
bool is_file_of(const std::string& kind, const std::filesystem::path& name);
/// Error naming the first of `names` that is neither of that kind nor of the system; `where` holds them.
void refuse_others(const std::string& where, const std::string& kind, const std::vector<std::string>& names);

/// The names of all files and links in a folder and below it, but those of the system, sorted.
std::vector<std::string> files_in(const std::filesystem::path& folder);
/// Removes all files of `kind` from a folder, but for those in entries of `kept` (full paths), and what folders are
/// empty then. Error if one cannot be removed.
void remove_files_of(const std::string& kind, const std::filesystem::path& folder,
                     const std::set<std::filesystem::path>& kept = {});
/// The same, and removes the folder, once nothing needs it any more: a warning if a file cannot be removed, or if the
/// folder stays for files that bigdna did not write. Nothing if it holds none that bigdna did.
void remove_leftover_files_of(const std::string& kind, const std::filesystem::path& folder);

}  // namespace bigdna::io
