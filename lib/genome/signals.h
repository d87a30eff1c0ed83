/// bigWig files whose values stand beside what is predicted of intervals and alleles (--track).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "genome/bigwig_values.h"
#include "genome/fasta.h"

namespace bigdna::genome {

/// A file that has a name of its own.
struct NamedFile {
  std::string name, path;
};
/// Of NAME=FILE or of FILE, which is named by its file name without .bw, .bigWig or .bigwig. A text whose first part
/// has a slash is a FILE. UsageError if the name is empty or has characters that a column's name cannot have.
NamedFile named_file(const std::string& text);
/// Its path.
std::string path_of_named(const std::string& text);
/// The same as io::FilesOf; none for what is no named file.
std::vector<std::string> files_of_named(const std::string& text);

class Signals {
 public:
  /// `files`: as of named_file(). UsageError if two have one name; Error as of BigWigValues, if a contig has another
  /// length in the genome, and if the genome has none of a file's contigs.
  Signals(const std::vector<std::string>& files, const Genome& genome);
  const std::vector<NamedFile>& files() const { return files_; }
  std::vector<std::string> names() const;
  /// Of each file the mean of its values over the bases [start, end) of the genome's contig that have one; NaN if none
  /// has. They stay until the next call.
  std::span<const float> at(const std::string& contig, int64_t start, int64_t end);

 private:
  struct Open {
    BigWigValues values;
    BigWigMeans means;
    std::map<std::string, uint32_t> numbers;  // of the genome's contigs
    Open(const std::string& path, const Genome& genome);
  };
  std::vector<NamedFile> files_;
  std::vector<std::unique_ptr<Open>> open_;
  std::vector<float> means_;
};

}  // namespace bigdna::genome
