/// Reads the rows of labelled tables: CSV, TSV, BED with a header, FASTA with labels in its headers, and folders of
/// these.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataset/labels.h"
#include "dataset/splits.h"
#include "genome/region.h"
#include "io/delimited.h"

namespace bigdna::dataset {

/// The names of the columns. A column whose name is "" is found by one of these names, in any case: the first in this
/// order that a column has. A warning names the columns if there are several such.
///   sequence: sequence, seq
///   place: chrom, chromosome, chr, region, contig or seqnames; start; end (TablePositions: how they count); strand
///   labels: label, labels, target, y; else the class that the file's name gives
///   split: split
///   name: name, id
/// There is no such name for groups, whose rows go to one split.
struct TableColumns {
  std::string sequence, split, group, name;
  std::vector<std::string> labels;
};

struct TableInputs {
  std::vector<std::string> paths;   // files, folders; "-" is stdin
  std::vector<std::string> splits;  // of each path, or none
  TableColumns columns;
};

/// A row as read.
struct TableRow {
  std::string name;                     // "" if the table has none
  std::string sequence;                 // as written; "" if the row is an interval
  std::optional<genome::Region> place;  // 0-based, half-open
  std::optional<Split> split;           // from a column, from `splits`, or from the file's name
  std::string group;                    // "" if there is no group column; its own of a row whose group is missing
};

struct LabelledTable {
  std::vector<std::string> files;  // that were read
  std::vector<TableRow> rows;
  LabelText labels;
};

/// "train" or "training"; "validation", "valid", "val" or "dev"; "test" or "testing", in any case; nullopt for other
/// words.
std::optional<Split> split_of_word(std::string_view word);

/// The index of the column called `asked` (in any case, if none is spelt like it) or, if that is "", of the column
/// with the first of `names` that a column has, in any case; -1 if there is none. Warns where several columns fit, and
/// names `option` ("" if none chooses). Error "FILE:LINE: ..." if there is no column called `asked`.
int place_of_column(const io::DelimitedReader& reader, const std::string& asked, const char* option,
                    const std::vector<const char*>& names);

/// The tables that are read of a folder, in order, as io::FilesOf; `path` itself if it is a file.
std::vector<std::string> table_files_of(const std::string& path);

/// Reads all rows into memory. The tables of a folder are recognised by name: SPLIT.csv, SPLIT/CLASS.csv,
/// SPLIT/CLASS/NAME.csv, NAME.SPLIT.CLASS.csv and so on (also .tsv, .bed, .fa; .gz, .xz). A FASTA header is NAME|LABEL,
/// with as many labels as the first one has. In folders, hidden files and what editors leave behind are not read.
/// Errors "FILE:LINE: cause": a missing column, an unknown split, a start that is not a number, an end that is not
/// after its start, a sequence that is empty or missing (io::is_missing_word()), a header without a label; "FOLDER:
/// cause" if it holds no table, or one twice (plain and compressed); "FILE: cause" if it has the same rows and labels
/// as another file.
LabelledTable read_tables(const TableInputs& inputs);

}  // namespace bigdna::dataset
