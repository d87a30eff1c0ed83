/// The windows that `bigdna profile` reads: around the summits or middles of regions, or the middles of records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "genome/bed.h"
#include "genome/fasta.h"
#include "profile/profile_options.h"

namespace bigdna::profile {

/// A window, and what has a profile in its middle.
struct ProfileWindow {
  std::string contig;  // as the input spells it, or a record's name
  std::string genome_contig;
  int64_t start = 0, end = 0;  // of the profile; may lie past the contig's ends
  std::string name;
  std::string bases;  // of the whole window
};

class Windows {
 public:
  /// Of regions, all are checked here. `in_order`: they come in the order of the genome, each centre once.
  Windows(const ProfileOptions& options, int64_t window, int64_t output, bool in_order);
  /// `with_bases`: false for one whose bases nobody needs.
  std::optional<ProfileWindow> next(bool with_bases = true);
  /// Passes over so many.
  void skip(int64_t windows);
  /// How many there are; 0 if that is not known.
  uint64_t total() const { return sites_.size(); }
  const genome::Genome& genome() const { return genome_.value(); }

 private:
  struct Site {
    std::string contig, genome_contig, name;
    int64_t centre, order;  // order: of the contig in the genome
  };
  void read_regions(const ProfileOptions& options, bool in_order);

  int64_t window_, output_;
  std::optional<genome::FastaReader> records_;
  std::optional<genome::Genome> genome_;
  std::vector<Site> sites_;
  size_t next_ = 0;
};

}  // namespace bigdna::profile
