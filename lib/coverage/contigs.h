/// The contigs that are counted on, and how files call them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "genome/fasta.h"

namespace bigdna::coverage {

class Contigs {
 public:
  /// `source`: the genome or table of lengths, for messages. `reference`: the genome's FASTA, "" where there is only a
  /// table. Error if a contig has 2^32 bp or more.
  Contigs(std::vector<genome::Contig> contigs, std::string source, std::string reference);
  const std::vector<genome::Contig>& all() const { return contigs_; }
  const genome::Contig& operator[](uint32_t number) const { return contigs_[number]; }
  const std::string& source() const { return source_; }
  const std::string& reference() const { return reference_; }
  /// The number of a contig by its name or its other spelling ("chr20", "20").
  std::optional<uint32_t> find(std::string_view name) const;
  /// The number of each contig of a file's header. Error naming the file if a contig has another length (the file is of
  /// another assembly), if two of them are one contig here, or if it has none that is here.
  std::vector<std::optional<uint32_t>> numbers_of(const std::vector<genome::Contig>& header,
                                                  const std::string& path) const;

 private:
  std::vector<genome::Contig> contigs_;
  std::string source_, reference_;
  std::unordered_map<std::string, uint32_t> numbers_;
};

/// Whether a contig is a mitochondrial genome, by its name: chrM, MT, Mito ...
bool is_mitochondrial(std::string_view name);

}  // namespace bigdna::coverage
