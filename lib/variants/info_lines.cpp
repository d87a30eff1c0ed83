#include "variants/info_lines.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/error.h"
#include "io/manifest.h"

namespace bigdna::variants {

namespace {
constexpr std::string_view kLine = "##INFO=<ID=", kDescription = ",Description=\"";
constexpr std::string_view kPrefix = "BIGDNA_", kPercentileKey = "_PERCENTILE";
constexpr std::string_view kPercentile = "Percentile of the absolute value among background variants: ";
constexpr std::string_view kOf = " of ", kModels = ", model ";

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}
}  // namespace

std::vector<std::string> provenance_lines(const io::Provenance& provenance, std::string_view command) {
  std::vector<std::string> lines;
  for (const auto& [key, value] : provenance.entries()) {
    std::string part = key.substr(key.find('_') + 1);
    part.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(part.front())));
    lines.push_back(concat("##bigdna_", command, part, "=", value));
  }
  return lines;
}

std::string to_line(const InfoLine& line) {
  return concat(kLine, line.key, ",Number=", line.number, ",Type=", line.type, kDescription, escaped(line.description),
                "\",Source=\"bigdna\",Version=\"", io::program_version(), "\">");
}

std::optional<InfoLine> read_info_line(std::string_view line) {
  const size_t at = line.find(kDescription);
  if (!line.starts_with(kLine) || at == std::string_view::npos) return std::nullopt;
  const auto value_of = [&](std::string_view name) {
    const size_t begin = line.find(name);
    if (begin == std::string_view::npos || begin > at) return std::string();
    const auto value = line.substr(begin + name.size());
    return std::string(value.substr(0, value.find(',')));
  };
  InfoLine result{value_of("<ID="), value_of(",Type="), ""};
  for (size_t i = at + kDescription.size(); i < line.size() && line[i] != '"'; ++i)
    result.description += line[i] == '\\' && i + 1 < line.size() ? line[++i] : line[i];
  return result;
}

InfoLine info_line_of(const EffectColumn& column, bool percentile, const std::string& models) {
  const auto of = concat(column.text, column.label.empty() ? "" : concat(kOf, column.label), kModels, models);
  return percentile ? InfoLine{column.percentile_info, "Float", concat(kPercentile, of)}
                    : InfoLine{column.info, "Float", of};
}

InfoLine info_line_of_skipped(const std::string& models) {
  return {kSkipped, "String", concat("Why the allele has no score", kModels, models)};
}

InfoLine info_line_of_seen(const std::string& models) {
  return {
      kSeen, "Integer",
      concat("1 where the sequence that was read overlaps the model's training data, 0 where not", kModels, models)};
}

std::vector<InfoLine> info_lines_of_tracks(const std::vector<genome::NamedFile>& tracks) {
  std::vector<std::string> names;
  for (const auto& track : tracks) names.push_back(track.name);
  const auto keys = key_parts(names);
  std::vector<InfoLine> lines;
  for (size_t i = 0; i < tracks.size(); ++i)
    lines.push_back({concat("BIGDNA_TRACK_", keys[i]), "Float",
                     concat("Mean of the values of ", std::filesystem::path(tracks[i].path).filename().string(),
                            " at the bases of REF that have one"),
                     "1"});
  return lines;
}

std::optional<InfoColumn> info_column_of(const InfoLine& line) {
  std::string_view rest = line.key, description = line.description;
  if (!rest.starts_with(kPrefix)) return std::nullopt;
  rest.remove_prefix(kPrefix.size());
  for (const std::string& effect : effect_names()) {
    if (!rest.starts_with(effect) || (rest.size() > effect.size() && rest[effect.size()] != '_')) continue;
    rest.remove_prefix(effect.size());
    InfoColumn column{line.key, effect, false, "", ""};
    const auto texts = texts_of(effect);
    // a feature may be called PERCENTILE
    const bool of_effect =
        std::ranges::any_of(texts, [&](const std::string& text) { return description.starts_with(text); });
    if (rest.starts_with(kPercentileKey) && !of_effect) {
      column.percentile = true;
      rest.remove_prefix(kPercentileKey.size());
      if (description.starts_with(kPercentile)) description.remove_prefix(kPercentile.size());
    }
    column.output = rest;
    if (rest.empty()) return column;
    column.label = rest.substr(1);         // where somebody has written another description
    for (const std::string& text : texts)  // which have " of " in them, too
      if (description.starts_with(text + std::string(kOf))) {
        description.remove_prefix(text.size() + kOf.size());
        column.label = description.substr(0, description.rfind(kModels));
        break;
      }
    return column;
  }
  return std::nullopt;
}

std::string models_of(const InfoLine& line) {
  const size_t at = line.description.rfind(kModels);
  return at == std::string::npos ? "" : line.description.substr(at + kModels.size());
}

}  // namespace bigdna::variants
