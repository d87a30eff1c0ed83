/// The .gzi of a BGZF file, held against the file. htslib takes it on trust: where an entry lies behind its block it ends the
/// process, and where one is a little off it reads other bases. For Genome alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bigdna::genome {

class BgzfIndex {
 public:
  /// Error naming `gzi`: missing, truncated, its entries out of order or past the end of `file`.
  BgzfIndex(const std::string& gzi, const std::string& file);
  ~BgzfIndex();
  BgzfIndex(const BgzfIndex&) = delete;
  BgzfIndex& operator=(const BgzfIndex&) = delete;
  /// Error naming the index where going to this byte of the inflated file by it would not end there. Looks at the headers of
  /// the blocks around it, at each once.
  void check(int64_t position);

 private:
  struct Entry {
    int64_t compressed, inflated;  // where a block begins, in the file and in what it inflates to
  };
  struct Block {
    int64_t bytes, inflated;  // its sizes
  };
  [[noreturn]] void fail_damaged(const std::string& cause) const;
  Block block_at(int64_t offset) const;
  void check_entry(size_t number);

  std::string gzi_, file_;
  int fd_ = -1;
  int64_t size_ = 0;  // of the file
  std::vector<Entry> entries_;  // the first block's too, which the file leaves out
  std::vector<bool> checked_;
};

}  // namespace bigdna::genome
