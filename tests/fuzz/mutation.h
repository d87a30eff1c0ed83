/// Damages files for fuzz_readers.
#pragma once

#include <string>

#include "base/rng.h"

namespace bigdna::fuzz {

/// The bytes with one to four changes: bits, bytes, ranges, lines, fields, numbers, lengths.
std::string mutated(std::string bytes, Rng& rng);
/// A file's bytes, changed. Of a compressed file (.gz, .bcf; gzip or BGZF) the change is, in every second case, within:
/// what was compressed is changed, and compressed again as BGZF.
std::string mutated_file(const std::string& path, Rng& rng);

}  // namespace bigdna::fuzz
