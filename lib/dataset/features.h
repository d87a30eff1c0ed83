/// The features of a chromatin task: features.tsv of datasets and models, and the table of peak files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bigdna::io {
struct ColumnArray;
}

namespace bigdna::dataset {

inline constexpr const char* kStartSites = "TSS";  // the group of features that mark start sites of transcripts

enum class FeatureKind : uint8_t {
  binary,  // a bin has it or not: one bit of the array `labels`
  counts   // a number at least 0 for each bin, a track: a column of the array `counts`; or for each row of a table
};

/// Identified by index within a dataset or model (only 843 of DeepSEA's 919 differ in name and cell), and by name,
/// cell, assay and strand between them (match_features()).
struct Feature {
  std::string name, cell, assay, group;  // group: TF, DHS, HM or any other word; "-" if not given
  char strand = '.';                     // '+' or '-' of what lies on one strand of a bin, such as start sites
  FeatureKind kind = FeatureKind::binary;
  bool operator==(const Feature&) const = default;
};

/// features.tsv: "#index name cell assay group strand", and "kind" if any feature holds counts; these come last. Error
/// "FILE:LINE: cause", also for text that is not UTF-8.
std::vector<Feature> read_features(const std::string& path);
void write_features(const std::string& path, const std::vector<Feature>& features);

/// Those of a kind, in their order.
std::vector<Feature> of_kind(const std::vector<Feature>& features, FeatureKind kind);

/// DeepSEA's 919 in the order of its labels (Zhou & Troyanskaya, Nature Methods 2015): 125 DHS, 690 TF, 104
/// HM. Made by deepsea_features.py.
std::vector<Feature> deepsea_features();

struct PeakFile {
  Feature feature;
  std::string path;
};
inline constexpr const char* kSignalNotPeaks =
    "bedGraph holds a signal, not peaks: call peaks of it first, or name it in --tracks";
/// A table of peak files, TSV or CSV (io::DelimitedReader), whose first line names the columns: `file` and `name`, then
/// any of `cell`, `assay`, `group`. Paths are relative to the table. Rows that begin with # are left out, and counted.
/// Errors "FILE:LINE: cause": a missing column or file, bedGraph, the same name, cell and assay twice, a name that is
/// not UTF-8 or holds a tab.
std::vector<PeakFile> read_peak_table(const std::string& path);

/// The table and the files that it names, as io::FilesOf; the table alone if it cannot be read.
std::vector<std::string> peak_files_of(const std::string& path);

/// For each feature the one that it is where the other strand is read: itself, or its like of the other strand. Empty
/// if no feature has a strand; Error naming one of a strand whose like is missing.
std::vector<int64_t> features_of_other_strand(const std::vector<Feature>& features);

/// "CTCF|GM12878", "CTCF" if the cell is "-", "TSS|+" if it has a strand.
std::string label(const Feature& feature);
/// The names of the features' columns in tables, each its own: the label, or "LABEL|INDEX" if several features share it
/// or a table has a column of that name for something else ("score|0").
std::vector<std::string> column_names(const std::vector<Feature>& features);
/// What the `chosen` ones among a model's features are, for formats that hold arrays beside a table's rows:
/// feature_index, feature_name, feature_cell, feature_assay, feature_group, feature_strand and feature_column
/// (column_names()); and feature_kind where some of the model's hold counts.
std::vector<io::ColumnArray> feature_arrays(const std::vector<Feature>& features, std::span<const int64_t> chosen);
/// Labels or names of columns as parts of files' names, each its own: "CTCF_GM12878", "TSS_plus", "TSS_minus".
std::vector<std::string> file_names(const std::vector<std::string>& labels);

/// The features that one of `patterns` (joined by commas: an index, or a glob of name, cell, assay, group
/// or column) chooses, ascending. A pattern that is such a word itself is no glob; a word may hold commas. "" chooses
/// all. UsageError "OPTION PATTERN: matches none" for a pattern that does.
std::vector<int64_t> choose_features(const std::vector<Feature>& features, const std::string& patterns,
                                     std::string_view option = "--features");

/// For each of the `wanted` features, which are those of `of_wanted` (a dataset, for messages), the index of the same
/// one among the `given`, those of `of_given`: of the same name, cell, assay and strand or, with a warning, the only
/// one of the same name, cell and strand. In the same order these may be equal; otherwise Error naming a wanted feature
/// that is missing, or that cannot be told from another. Further ones may be given.
std::vector<size_t> match_features(const std::vector<Feature>& wanted, const std::string& of_wanted,
                                   const std::vector<Feature>& given, const std::string& of_given);

/// Groups in the order of their first feature.
std::vector<std::string> groups_of(const std::vector<Feature>& features);

}  // namespace bigdna::dataset
