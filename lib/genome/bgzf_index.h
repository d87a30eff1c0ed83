/// The .gzi of a BGZF file, checked against the file. htslib trusts it: an entry that lies past its block aborts the
/// process, and one that is slightly off reads wrong bases. Used by Genome only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bigdna::genome {

class BgzfIndex {
 public:
  /// Error naming `gzi`: it is missing or truncated, or its entries are out of order or past the end of `file`. All
  /// errors name `file` instead if it is not BGZF to its end.
  BgzfIndex(const std::string& gzi, const std::string& file);
  ~BgzfIndex();
  BgzfIndex(const BgzfIndex&) = delete;
  BgzfIndex& operator=(const BgzfIndex&) = delete;
  /// Error naming the index if it leaves out the end of the file.
  void check_end();
  /// At least the size of the decompressed file. Valid after check_end().
  int64_t most_bytes() const;
  /// Error naming the index if seeking to this byte of the decompressed file would end elsewhere. Reads the headers of
  /// the blocks around it, each of them once.
  void check(int64_t position);

 private:
  struct Entry {
    int64_t compressed, inflated;  // where a block begins, in the file and in the decompressed text
  };
  struct Block {
    int64_t bytes, inflated;  // its sizes, compressed and decompressed
  };
  [[noreturn]] void fail_damaged(const std::string& cause) const;
  Block block_at(int64_t offset) const;
  void check_entry(size_t number);

  std::string gzi_, file_;
  int fd_ = -1;
  int64_t size_ = 0;            // of the file
  std::vector<Entry> entries_;  // with the first block's, which the .gzi leaves out
  std::vector<bool> checked_;
};

}  // namespace bigdna::genome
