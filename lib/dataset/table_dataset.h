/// Datasets made from tables of labelled sequences or intervals. The folder (docs/formats.md) holds regions.bed.gz,
/// sequences.fa.gz, labels.safetensors, features.tsv, dropped.tsv, leakage.tsv and, written last, dataset.json.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataset/features.h"
#include "dataset/labels.h"
#include "dataset/splits.h"
#include "dataset/table_rows.h"
#include "genome/alphabet.h"
#include "io/folder.h"
#include "io/manifest.h"
#include "io/safetensors.h"

namespace bigdna::dataset {

struct TableOptions {
  TableInputs inputs;
  std::string genome;                           // FASTA that intervals are cut from, plain or BGZF
  std::string output;                           // folder
  std::optional<LabelType> label_type;          // unset: determined from the labels
  SplitOptions split;                           // for rows whose split the table does not give
  std::optional<genome::IntervalSet> held_out;  // --split-like
  bool drop_leaks = false;
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;
  io::Existing existing = io::Existing::refuse;
  int threads = 1;  // that compress the output
};

/// Builds the folder; the table is in memory. Without splits in the table, rows of the same group go to one split;
/// without groups, intervals are split by territories of the genome (make_splits), and other rows so that the same
/// sequence (on either strand) is in one split. If the table has splits but no validation rows, these are drawn from
/// the training rows, and intervals that would then share bases with training rows are left out. A row leaks if its
/// sequence, or the reverse complement, is also in training (for test rows: in training or validation). Rows are left
/// out if more than half of their bases are N. Warns of classes and labels that no training row has. Errors besides
/// those of read_tables() and read_labels(): a letter that is not a base; no row on the genome; a split that was asked
/// for and has no rows.
void build_table_dataset(const TableOptions& options);

/// The contig of rows without a position in a genome; their start is 0, their end the length.
inline constexpr const char* kNowhere = ".";

struct TableDataset {
  struct Row {
    genome::Region region;
    std::string name;  // unique; the sequence's name in sequences.fa.gz
    Split split = Split::train;
    std::string group;
  };
  std::string folder;
  io::Manifest manifest;
  LabelType type = LabelType::binary;
  std::vector<Feature> features;  // one per output
  std::vector<Row> rows;          // in file order
  int64_t longest = 0;            // bp of the longest sequence
  bool has_groups = false;
  std::string sequences_path() const { return folder + "/sequences.fa.gz"; }
  /// 0 or 1 (binary, multilabel; also for each of the classes), or a number, which is NaN if missing.
  float label(int64_t row, int64_t feature) const;
  /// Error naming the file: not a table dataset, a damaged row, labels of another size.
  static TableDataset open(const std::string& folder);

 private:
  std::shared_ptr<io::SafetensorsFile> file_;
  std::span<const uint8_t> bits_;
  std::span<const uint16_t> classes_;
  std::span<const float> numbers_;
  int64_t bytes_ = 0;
};

}  // namespace bigdna::dataset
