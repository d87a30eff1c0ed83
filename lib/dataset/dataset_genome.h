/// The genome that a dataset's sequences are cut from when it is read: datasets of bins, and of profiles.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "genome/alphabet.h"
#include "io/manifest.h"

namespace bigdna::dataset {

/// Adds to a manifest's details which FASTA it is, what it holds and how it was read.
void record_genome(const std::string& path, genome::InvalidBases invalid, nlohmann::ordered_json& details);
genome::InvalidBases recorded_invalid_bases(const nlohmann::ordered_json& details);

/// Error if the FASTA at `path` ("": the recorded one) has another size or content than the one that the dataset was
/// made from: its rows would get other bases. Otherwise the path.
std::string checked_genome(const std::string& folder, const io::Manifest& manifest, const std::string& path);

}  // namespace bigdna::dataset
