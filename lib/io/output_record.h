/// The record beside an output of the job that made it, OUTPUT.options.json: by it --resume tells whether the output is
/// complete, and `bigdna merge` which part it is.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "io/job.h"

namespace bigdna::io {

/// Keys of a record beside the job's options: [{name, bytes, md5} ...], and the program's version.
inline constexpr const char* kRecordedOutputs = "outputs";
inline constexpr const char* kRecordedVersion = "bigdna_version";

/// The record's path.
std::string record_of(const std::string& output);
/// Removes the record of an output that is replaced by one without; a file of that name that is no record stays.
void remove_record(const std::string& output);
/// What a record lists for an output file: its name without folders, and its content (io/identity.h).
nlohmann::ordered_json record_entry(const std::string& output);
/// Whether a record lists the file as it is now.
bool is_recorded(const Job& record, const std::string& output);

}  // namespace bigdna::io
