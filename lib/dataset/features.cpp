#include "dataset/features.h"

#include <fnmatch.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <tuple>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/utf8.h"
#include "dataset/feature_table.h"
#include "dataset/label_words.h"
#include "io/column_dictionary.h"
#include "io/delimited.h"
#include "io/formats.h"
#include "io/lines.h"
#include "io/output.h"
#include "io/row_writer.h"

namespace bigdna::dataset {

extern const char* const kDeepseaFeatures;  // deepsea_features.tsv, made a string when bigdna is configured

namespace {
constexpr std::array<std::string_view, 2> kKinds{"binary", "counts"};  // by FeatureKind
}  // namespace

std::vector<Feature> read_features(const std::string& path) {
  std::vector<Feature> features;
  const TableColumn columns[] = {{"index", nullptr}, {"name", nullptr}, {"cell"},          {"assay"},
                                 {"group"},          {"strand", "."},   {"kind", "binary"}};
  read_feature_table(path, {.quotes = false}, columns, FurtherColumns::named_in_log,
                     [&](const std::vector<std::string>& values, int64_t line) {
                       if (values[0] != std::to_string(features.size()))
                         fail(path, ":", line, ": index ", values[0], ", expected ", features.size());
                       if (values[5] != "+" && values[5] != "-" && values[5] != ".")
                         fail(path, ":", line, ": strand '", values[5], "'; it must be +, - or .");
                       const auto kind = std::ranges::find(kKinds, values[6]);
                       if (kind == kKinds.end())
                         fail(path, ":", line, ": kind '", values[6], "'; it must be binary or counts");
                       if (kind == kKinds.begin() && !features.empty() && features.back().kind == FeatureKind::counts)
                         fail(path, ":", line, ": a feature of kind binary follows one of kind counts");
                       features.push_back({values[1], values[2], values[3], group_of(values[4]), values[5][0],
                                           static_cast<FeatureKind>(kind - kKinds.begin())});
                     });
  return features;
}

std::vector<Feature> of_kind(const std::vector<Feature>& features, FeatureKind kind) {
  std::vector<Feature> found;
  std::ranges::copy_if(features, std::back_inserter(found), [&](const Feature& f) { return f.kind == kind; });
  return found;
}

std::vector<Feature> deepsea_features() {
  std::vector<Feature> features;
  for (const auto line : io::split(kDeepseaFeatures, '\n'))
    if (const auto fields = io::split(line); fields.size() == 5 && line.front() != '#')
      features.push_back(
          {std::string(fields[1]), std::string(fields[2]), std::string(fields[3]), std::string(fields[4]), '.'});
  return features;
}

void write_features(const std::string& path, const std::vector<Feature>& features) {
  const bool kinds = std::ranges::any_of(features, [](const Feature& f) { return f.kind != FeatureKind::binary; });
  std::string text = concat("#index\tname\tcell\tassay\tgroup\tstrand", kinds ? "\tkind\n" : "\n");
  for (size_t i = 0; i < features.size(); ++i) {
    const auto& feature = features[i];
    text += concat(i, '\t', feature.name, '\t', feature.cell, '\t', feature.assay, '\t', feature.group, '\t',
                   feature.strand);
    if (kinds) text.append(1, '\t').append(kKinds[static_cast<size_t>(feature.kind)]);
    text += '\n';
  }
  io::write_file(path, text);
}

namespace {
bool is_called_bedgraph(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  return std::ranges::any_of(io::format_row(io::Format::bedgraph).suffixes,
                             [&](std::string_view suffix) { return name.ends_with(suffix); });
}
}  // namespace

std::vector<PeakFile> read_peak_table(const std::string& path) {
  std::vector<PeakFile> files;
  std::set<std::vector<std::string>> seen;
  for (const std::string suffix : {".bed", ".narrowPeak", ".broadPeak"})
    if (path.ends_with(suffix) || path.ends_with(suffix + ".gz"))
      fail(path, ": is a file of peaks; a table of such files is expected, with the columns file and name");
  const TableColumn columns[] = {{"file", nullptr, true}, {"name", nullptr}, {"cell"}, {"assay"}, {"group"}};
  read_feature_table(path, {.comments = true}, columns, FurtherColumns::named_in_log,
                     [&](const std::vector<std::string>& values, int64_t line) {
                       const std::string file = beside(path, values[0]);
                       if (!std::filesystem::exists(file)) fail(path, ":", line, ": ", file, ": no such file");
                       if (is_called_bedgraph(file)) fail(path, ":", line, ": ", file, ": ", kSignalNotPeaks);
                       if (!seen.insert({values[1], values[2], values[3]}).second)
                         fail(path, ":", line, ": feature ", values[1], " (cell ", values[2], ", assay ", values[3],
                              ") is named twice");
                       files.push_back({{values[1], values[2], values[3], group_of(values[4]), '.'}, file});
                     });
  if (files.empty()) fail(path, ": has no peak files");
  return files;
}

std::vector<std::string> peak_files_of(const std::string& path) {
  std::vector<std::string> files{path};
  try {
    for (const auto& file : read_peak_table(path)) files.push_back(file.path);
  } catch (const Error&) {  // the command says so
  }
  return files;
}

std::vector<int64_t> features_of_other_strand(const std::vector<Feature>& features) {
  std::vector<int64_t> others;
  bool stranded = false;
  for (const auto& feature : features) {
    Feature other = feature;
    if (feature.strand != '.') other.strand = feature.strand == '+' ? '-' : '+';
    stranded |= feature.strand != '.';
    const auto place = feature.strand == '.' ? features.begin() + static_cast<int64_t>(others.size())
                                             : std::ranges::find(features, other);
    if (place == features.end()) fail("the feature ", label(feature), " has no counterpart on the other strand");
    others.push_back(place - features.begin());
  }
  return stranded ? others : std::vector<int64_t>();
}

std::string label(const Feature& feature) {
  std::string text = feature.name;
  if (feature.cell != "-") text += "|" + feature.cell;
  if (feature.strand != '.') text += concat("|", feature.strand);
  return text;
}

std::vector<std::string> column_names(const std::vector<Feature>& features) {
  std::map<std::string, int> count;
  for (const auto& feature : features) ++count[label(feature)];
  std::vector<std::string> names;
  for (const auto& feature : features) {
    const std::string suffix = concat("|", names.size());
    std::string& name = names.emplace_back(label(feature));
    if (count[name] == 1 && !io::is_fixed_column(name)) continue;
    do name += suffix;
    while (count.contains(name));  // another feature's label
  }
  return names;
}

std::vector<io::ColumnArray> feature_arrays(const std::vector<Feature>& features, std::span<const int64_t> chosen) {
  const auto all_columns = column_names(features);
  std::vector<std::string> names, cells, assays, groups, strands, columns, kinds;
  for (const int64_t index : chosen) {
    const auto& feature = features[static_cast<size_t>(index)];
    names.push_back(feature.name);
    cells.push_back(feature.cell);
    assays.push_back(feature.assay);
    groups.push_back(feature.group);
    strands.emplace_back(1, feature.strand);
    columns.push_back(all_columns[static_cast<size_t>(index)]);
    kinds.emplace_back(kKinds[static_cast<size_t>(feature.kind)]);
  }
  std::vector<io::ColumnArray> arrays{{"feature_index", std::vector<int64_t>(chosen.begin(), chosen.end())},
                                      {"feature_name", names},
                                      {"feature_cell", cells},
                                      {"feature_assay", assays},
                                      {"feature_group", groups},
                                      {"feature_strand", strands},
                                      {"feature_column", columns}};
  if (of_kind(features, FeatureKind::counts).size() > 0) arrays.push_back({"feature_kind", kinds});
  return arrays;
}

std::vector<std::string> file_names(const std::vector<std::string>& labels) {
  std::vector<std::string> names;
  std::map<std::string, int> count;
  for (const auto& label : labels) {
    auto& name = names.emplace_back();
    for (const auto part : io::split(label, '|'))
      name += concat(name.empty() ? "" : "_", part == "+"   ? "plus"
                                              : part == "-" ? "minus"
                                                            : io::as_file_name(std::string(part)));
    ++count[name];
  }
  for (size_t i = 0; i < names.size(); ++i)
    if (count[names[i]] > 1) names[i] += concat('_', i);
  return names;
}

namespace {
/// The words by which a pattern may choose a feature.
std::array<std::string, 6> choosing_words(const Feature& feature, size_t index, const std::string& column) {
  return {std::to_string(index), feature.name, feature.cell, feature.assay, feature.group, column};
}

/// The parts of a list between commas. Parts whose text together, commas included, is one of `words` are one part.
std::vector<std::string> patterns_of(const std::string& list, const std::set<std::string>& words) {
  std::vector<std::string> patterns;
  for (size_t begin = 0; begin <= list.size();) {
    size_t end = std::min(list.find(',', begin), list.size());
    for (size_t longer = list.size(); longer > end; longer = list.rfind(',', longer - 1))
      if (words.contains(list.substr(begin, longer - begin))) end = longer;
    patterns.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return patterns;
}
}  // namespace

std::vector<int64_t> choose_features(const std::vector<Feature>& features, const std::string& patterns,
                                     std::string_view option) {
  const auto columns = column_names(features);
  std::vector<std::array<std::string, 6>> words;
  std::set<std::string> all;
  for (size_t i = 0; i < features.size(); ++i) {
    words.push_back(choosing_words(features[i], i, columns[i]));
    all.insert(words.back().begin(), words.back().end());
  }
  std::set<int64_t> chosen;
  if (patterns.empty())
    for (size_t i = 0; i < features.size(); ++i) chosen.insert(static_cast<int64_t>(i));
  else
    for (const auto& pattern : patterns_of(patterns, all)) {
      const auto choose = [&](size_t first_word, const auto& matches) {
        bool matched = false;
        for (size_t i = 0; i < features.size(); ++i)
          if (std::ranges::any_of(std::span(words[i]).subspan(first_word), matches)) {
            chosen.insert(static_cast<int64_t>(i));
            matched = true;
          }
        return matched;
      };
      const auto is_pattern = [&](const std::string& word) { return word == pattern; };
      const auto is_like = [&](const std::string& word) { return fnmatch(pattern.c_str(), word.c_str(), 0) == 0; };
      // a name comes before the index of another feature, and both before a glob
      constexpr size_t kNames = 1;
      const bool matched = choose(kNames, is_pattern) || choose(0, is_pattern) || choose(0, is_like);
      if (!matched)
        throw UsageError(concat(option, " ", pattern, ": matches none of the ", features.size(),
                                " features (index, name, cell, assay, group or column)"));
    }
  return {chosen.begin(), chosen.end()};
}

std::vector<size_t> match_features(const std::vector<Feature>& wanted, const std::string& of_wanted,
                                   const std::vector<Feature>& given, const std::string& of_given) {
  const auto key = [](const Feature& feature) {
    return std::tie(feature.name, feature.cell, feature.assay, feature.strand, feature.kind);
  };
  const auto same = [&](const Feature& a, const Feature& b) { return key(a) == key(b); };
  const auto words = [](const Feature& feature) {
    return concat("the feature ", feature.name, " (cell ", feature.cell, ", assay ", feature.assay,
                  feature.strand == '.' ? "" : concat(", strand ", feature.strand), ")");
  };
  std::vector<size_t> places(wanted.size());
  std::iota(places.begin(), places.end(), 0);
  if (std::equal(wanted.begin(), wanted.end(), given.begin(), given.end(), same)) return places;
  const auto without_assay = [](const Feature& feature) {
    return std::tie(feature.name, feature.cell, feature.strand, feature.kind);
  };
  std::map<decltype(key(wanted[0])), std::vector<size_t>> found;
  std::map<decltype(without_assay(wanted[0])), std::vector<size_t>> of_any_assay;
  for (size_t i = 0; i < given.size(); ++i) {
    found[key(given[i])].push_back(i);
    of_any_assay[without_assay(given[i])].push_back(i);
  }
  std::set<size_t> taken;
  std::string other_assays;  // of the first few that differ
  int differ = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    auto candidates = found[key(wanted[i])];
    if (candidates.empty()) {
      candidates = of_any_assay[without_assay(wanted[i])];
      if (candidates.empty()) {
        std::string has;
        for (size_t k = 0; k < std::min<size_t>(given.size(), 5); ++k)
          has += (k ? ", " : "") + label(given[k]) + (k == 4 && given.size() > 5 ? " ..." : "");
        fail(of_given, ": lacks ", words(wanted[i]), " of ", of_wanted, "; it has ", has);
      }
      if (candidates.size() > 1)
        fail(of_given, ": lacks ", words(wanted[i]), " of ", of_wanted, ", but has it of ", candidates.size(),
             " other assays: ", given[candidates[0]].assay, ", ", given[candidates[1]].assay);
      if (++differ <= 3)
        other_assays += concat(differ > 1 ? ", " : "", label(wanted[i]), " (", wanted[i].assay, ", ",
                               given[candidates.front()].assay, ")");
    }
    places[i] = candidates.front();
    if (candidates.size() > 1 || !taken.insert(places[i]).second)
      fail(of_given, ": has its features in another order than ", of_wanted,
           ", so they are matched by their names, but ", words(wanted[i]), " is there several times");
  }
  if (differ > 0)
    log::warn(of_given, ": ", counted(differ, "feature is", "features are"), " matched to ", of_wanted,
              " by name and cell, because the assay differs: ", other_assays, differ > 3 ? " ..." : "");
  return places;
}

std::vector<std::string> groups_of(const std::vector<Feature>& features) {
  std::vector<std::string> groups;
  for (const auto& feature : features)
    if (std::find(groups.begin(), groups.end(), feature.group) == groups.end()) groups.push_back(feature.group);
  return groups;
}

}  // namespace bigdna::dataset
