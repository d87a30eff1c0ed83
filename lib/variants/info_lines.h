/// The lines ##INFO of the keys that annotated VCF and BCF have: as the writer writes them, and what they say when
/// read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "genome/signals.h"
#include "io/provenance.h"
#include "variants/effects.h"

namespace bigdna::variants {

inline constexpr const char* kSkipped = "BIGDNA_SKIPPED";  // why the last model gave an allele no score
inline constexpr const char* kSeen = "BIGDNA_SEEN";        // 1 if it has read its sequence in training, 0 if not

/// Where a file comes from, as bcftools says it: "##bigdna_variantsVersion=..." and so on for the command `variants`.
std::vector<std::string> provenance_lines(const io::Provenance& provenance, std::string_view command);

/// A key with one value per alternative allele, or for all of them.
struct InfoLine {
  std::string key, type, description;  // the description without quotes and backslashes
  std::string number = "A";            // "1": for all
};
std::string to_line(const InfoLine& line);
/// nullopt for a line of another kind, or without a description.
std::optional<InfoLine> read_info_line(std::string_view line);

/// `models`: name and MD5 of each that gave the numbers, joined by commas.
InfoLine info_line_of(const EffectColumn& column, bool percentile, const std::string& models);
InfoLine info_line_of_skipped(const std::string& models);
InfoLine info_line_of_seen(const std::string& models);
/// The lines of --track, in the order of the files. Keys that would be the same get an index.
std::vector<InfoLine> info_lines_of_tracks(const std::vector<genome::NamedFile>& tracks);

/// What the line of a column says: the other way round.
struct InfoColumn {
  std::string key, effect;  // "DIFF"
  bool percentile = false;
  std::string output;  // what the keys of one output have in common: "_CTCF_GM12878"; "" if the model has only one
  std::string label;   // "CTCF|GM12878"; "" likewise
};
/// nullopt for a key that is no effect.
std::optional<InfoColumn> info_column_of(const InfoLine& line);
/// `models` of any of these lines; "" if it names none.
std::string models_of(const InfoLine& line);

}  // namespace bigdna::variants
