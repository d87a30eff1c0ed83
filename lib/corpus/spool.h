/// A FASTA that can be read only once (stdin, a pipe), kept in an unlinked temporary file for the readings to
/// come.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "genome/alphabet.h"

namespace bigdna::corpus {

/// A path that may be opened any number of times while this lives; its file vanishes with it, also on kill
/// -9.
class Spool {
 public:
  /// A file that needs no copy.
  explicit Spool(std::string path) : path_(std::move(path)) {}
  /// Copies what `source` ("-": stdin) yields, normalised, to $TMPDIR. Errors as FastaReader's, and a full
  /// disk.
  Spool(const std::string& source, genome::InvalidBases invalid);
  ~Spool();
  Spool(Spool&& other) noexcept : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int fd_ = -1;
};

/// One for each path: itself where it is a regular file (or missing), a copy where it is stdin or a pipe.
std::vector<Spool> spool_what_cannot_be_read_twice(const std::vector<std::string>& paths,
                                                   genome::InvalidBases invalid);

}  // namespace bigdna::corpus
