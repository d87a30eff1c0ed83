/// What an input holds, so that --resume can tell whether it is the same: never its path or its size alone.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace bigdna::io {

/// The files that are read because of an input: those of a folder, or a table and the files that it names. Called with
/// any path that the user gives; a path that cannot be read has no files, because the command itself says why.
using FilesOf = std::vector<std::string> (*)(const std::string& path);

/// As FilesOf: the manifest of a folder that bigdna made, the files that the manifest lists, and the genome that a
/// dataset's intervals are cut from; of a run, those of its model. None for other folders.
std::vector<std::string> files_of_manifest(const std::string& folder);

/// {bytes, md5} of a file of up to 4 MB; {bytes, md5_of_parts} of a larger one: of 256 parts of 16 KiB, evenly spread
/// from its first byte to its last, so that a change of other bytes alone is not seen.
nlohmann::ordered_json content_of_file(const std::string& path);

/// What a job records of an input:
/// - a file: {path, bytes, md5} or {path, bytes, md5_of_parts};
/// - what consists of several files: {path, files: [{name, bytes, md5} ...]}: those that `files` gives or, without it,
///   files_of_manifest();
/// - NAME=FILE, of which `files` gives FILE: the text as path, and that file;
/// - what has no content that could be compared (stdin, a pipe, a folder of no known kind): {path};
/// - the text itself if it names no file (a fraction, a contig, nothing).
/// Paths are absolute.
nlohmann::ordered_json identity_of(const std::string& path, FilesOf files = nullptr);

/// Whether a value that a job records is an input.
bool is_input(const nlohmann::ordered_json& value);
/// Whether it is known that the first of two records of an input is the earlier one.
enum class Versions { in_order, in_any_order };
/// Compares two records of an input without their paths. "" if they are the same; otherwise how the second, which is
/// called `name`, differs: "was made from an earlier version of NAME PATH, whose config.json has changed since" or,
/// in any order, "was made from another version of NAME PATH, whose config.json differs".
std::string difference_of_inputs(const std::string& name, const nlohmann::ordered_json& before,
                                 const nlohmann::ordered_json& now, Versions versions = Versions::in_order);

}  // namespace bigdna::io
