/// Reading a whole FASTA file in tests.
#pragma once

#include <string>
#include <vector>

#include "genome/fasta.h"

namespace bigdna::genome {

inline std::vector<FastaRecord> read_all(const std::string& path, InvalidBases invalid = InvalidBases::error) {
  FastaReader reader(path, invalid, 2);
  std::vector<FastaRecord> records;
  while (auto record = reader.next()) records.push_back(std::move(*record));
  return records;
}

}  // namespace bigdna::genome
