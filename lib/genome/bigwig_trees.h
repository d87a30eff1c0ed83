/// The two search trees of a bigWig file, as UCSC's programs search them: contigs by name (a B+ tree), and blocks of
/// values by position (an R-tree). Numbers are little-endian.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace bigdna::genome {

/// Appends the bytes of a number.
template <class T>
void append_bytes(std::string& bytes, T value) {
  static_assert(std::is_arithmetic_v<T>);
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// A contig as the file lists it. Its id is the order in which values of contigs come.
struct BigWigContig {
  std::string name;
  uint32_t id = 0, length = 0;
};
/// The bytes of the tree if it begins at byte `offset` of the file. The search compares names by memcmp, so the leaves
/// are in that order, whatever the ids.
std::string contig_tree(std::vector<BigWigContig> contigs, uint64_t offset);

/// A compressed block of values of one contig.
struct BigWigBlock {
  uint32_t contig = 0, start = 0, end = 0;  // id; bases, 0-based and half-open
  uint64_t offset = 0, bytes = 0;           // in the file
};
/// The bytes of the index of blocks, which are sorted by contig and start, if it begins at byte `offset` of the file.
/// `values_per_block` is the largest number of them.
std::string block_tree(const std::vector<BigWigBlock>& blocks, uint64_t offset, uint32_t values_per_block);

}  // namespace bigdna::genome
