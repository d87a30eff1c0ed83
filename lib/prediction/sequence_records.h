/// Named sequences that predictions read: FASTA records, or the rows of a table.
#pragma once

#include <optional>
#include <string>

#include "genome/fasta.h"
#include "io/delimited.h"

namespace bigdna::prediction {

class SequenceRecords {
 public:
  /// A file that begins with > is FASTA. If `tables`, anything else is CSV or TSV with a header line: sequences are in
  /// `column` ("": sequence or seq), names in the column name or id, else they are row1, row2 and so on. Errors name
  /// file and line.
  SequenceRecords(const std::string& path, genome::InvalidBases invalid, bool tables = false,
                  const std::string& column = "");
  std::optional<genome::FastaRecord> next();
  /// The record that next() gave last, for messages: "FILE:LINE" of a table, "FILE: sequence NAME" of FASTA.
  const std::string& where() const { return where_; }

 private:
  std::optional<genome::FastaReader> fasta_;
  std::optional<io::DelimitedReader> table_;
  genome::InvalidBases invalid_;
  int sequence_ = -1, name_ = -1;
  int64_t row_ = 0;
  std::string where_;
};

}  // namespace bigdna::prediction
