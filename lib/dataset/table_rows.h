/// The rows of tables that users and benchmarks label: CSV, TSV, BED with a header, FASTA with labels in its headers, and folders
/// of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataset/labels.h"
#include "dataset/splits.h"
#include "genome/region.h"
#include "io/delimited.h"

namespace bigdna::dataset {

/// Which column is what; "" is recognised by its name, in any case:
///   sequence: sequence, seq
///   place: chrom, chromosome, chr, region, contig or seqnames; start; end; strand
///   labels: label, labels, target, y; else the class that the file's name gives
///   split: split
///   name: name, id
/// A group has no name of its own: rows of one group go to one split.
struct TableColumns {
  std::string sequence, split, group, name;
  std::vector<std::string> labels;
};

struct TableInputs {
  std::vector<std::string> paths;   // files, folders; "-" is stdin
  std::vector<std::string> splits;  // of each path, or none
  TableColumns columns;
};

/// A row as it was read.
struct TableRow {
  std::string name;                     // "" where the table has none
  std::string sequence;                 // as written; "" where the row is an interval
  std::optional<genome::Region> place;  // 0-based, half-open
  std::optional<Split> split;           // from a column, the input's place in `splits`, or the file's name
  std::string group;                    // "" where there is no group column
};

struct Table {
  std::vector<std::string> files;  // that were read
  std::vector<TableRow> rows;
  LabelText labels;
};

/// "train" or "training"; "validation", "valid", "val" or "dev"; "test" or "testing", in any case; nullopt for other words.
std::optional<Split> split_of_word(std::string_view word);

/// The place of the column called `asked`, or where that is "" of the first with one of `names`, in any case; -1 for none. Error
/// "FILE:LINE: ..." naming `option` where the asked one is missing.
int place_of_column(const io::DelimitedReader& reader, const std::string& asked, const char* option, const std::vector<const char*>& names);

/// Reads all rows into memory. A folder gives its tables by name: SPLIT.csv, SPLIT/CLASS.csv, NAME.SPLIT.CLASS.csv and so on
/// (.tsv, .bed, .fa and the like; .gz, .xz). A FASTA header is NAME|LABEL, with as many labels as the first one has.
/// Errors "FILE:LINE: cause": a column that is missing, a split of another name, a start that is no number, an end before its
/// start, an empty sequence, a header without a label; "FOLDER: cause" where no table is in it.
Table read_tables(const TableInputs& inputs);

}  // namespace bigdna::dataset
