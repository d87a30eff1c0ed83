#include "genome/bigwig_trees.h"

#include <algorithm>
#include <utility>

namespace bigdna::genome {

namespace {
constexpr uint32_t kContigMagic = 0x78ca8c91, kBlockMagic = 0x2468ace0;
constexpr size_t kFan = 256;  // most entries of a node
constexpr size_t kNodeHeader = 4;

size_t nodes_for(size_t entries) { return std::max<size_t>(1, (entries + kFan - 1) / kFan); }

/// The number of nodes of each level, from the leaves to the root.
std::vector<size_t> levels_of(size_t entries) {
  std::vector<size_t> nodes{nodes_for(entries)};
  while (nodes.back() > 1) nodes.push_back(nodes_for(nodes.back()));
  return nodes;
}

/// Writes all nodes, the root first, each level behind the one above. `leaf(i)` appends entry i, which has `leaf_bytes`
/// bytes; `inner(first, end, offset)` appends an entry of `inner_bytes` bytes for a node whose subtree holds the
/// entries [first, end) and that is at byte `offset` of the file.
template <class Leaf, class Inner>
void append_nodes(std::string& bytes, size_t entries, uint64_t offset, size_t leaf_bytes, size_t inner_bytes, Leaf leaf,
                  Inner inner) {
  const std::vector<size_t> levels = levels_of(entries);
  size_t span = 1;  // entries of a full subtree below one entry of the level's nodes
  for (size_t level = 1; level < levels.size(); ++level) span *= kFan;
  for (size_t level = levels.size(); level-- > 0; span /= kFan) {
    const size_t children = level ? levels[level - 1] : entries, nodes = levels[level];
    // where the level below begins, and how many bytes its full nodes have
    const uint64_t below = offset + nodes * kNodeHeader + children * (level ? inner_bytes : leaf_bytes);
    const uint64_t node_bytes = kNodeHeader + kFan * (level > 1 ? inner_bytes : leaf_bytes);
    for (size_t node = 0; node < nodes; ++node) {
      const size_t first = node * kFan, end = std::min(children, first + kFan);
      append_bytes<uint8_t>(bytes, level == 0);
      append_bytes<uint8_t>(bytes, 0);
      append_bytes(bytes, static_cast<uint16_t>(end - first));
      for (size_t child = first; child < end; ++child) {
        if (level == 0)
          leaf(child);
        else
          inner(child * span, std::min(entries, (child + 1) * span), below + child * node_bytes);
      }
    }
    offset = below;
  }
}
}  // namespace

std::string contig_tree(std::vector<BigWigContig> contigs, uint64_t offset) {
  std::sort(contigs.begin(), contigs.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  size_t key = 1;
  for (const auto& contig : contigs) key = std::max(key, contig.name.size());
  std::string bytes;
  append_bytes(bytes, kContigMagic);
  append_bytes(bytes, static_cast<uint32_t>(kFan));
  append_bytes(bytes, static_cast<uint32_t>(key));
  append_bytes<uint32_t>(bytes, 8);  // bytes of a value: id and length
  append_bytes<uint64_t>(bytes, contigs.size());
  append_bytes<uint64_t>(bytes, 0);
  const auto append_key = [&](const std::string& name) { bytes.append(name).append(key - name.size(), '\0'); };
  append_nodes(
      bytes, contigs.size(), offset + bytes.size(), key + 8, key + 8,
      [&](size_t i) {
        append_key(contigs[i].name);
        append_bytes(bytes, contigs[i].id);
        append_bytes(bytes, contigs[i].length);
      },
      [&](size_t first, size_t, uint64_t at) {
        append_key(contigs[first].name);
        append_bytes(bytes, at);
      });
  return bytes;
}

std::string block_tree(const std::vector<BigWigBlock>& blocks, uint64_t offset, uint32_t values_per_block) {
  std::string bytes;
  // Positions are pairs (contig, base). Blocks do not overlap, so the last one also ends last.
  const auto append_span = [&](size_t first, size_t end) {
    append_bytes(bytes, blocks[first].contig);
    append_bytes(bytes, blocks[first].start);
    append_bytes(bytes, blocks[end - 1].contig);
    append_bytes(bytes, blocks[end - 1].end);
  };
  append_bytes(bytes, kBlockMagic);
  append_bytes(bytes, static_cast<uint32_t>(kFan));
  append_bytes<uint64_t>(bytes, blocks.size());
  if (blocks.empty())
    bytes.append(16, '\0');
  else
    append_span(0, blocks.size());
  append_bytes(bytes, offset);  // where the blocks end
  append_bytes(bytes, values_per_block);
  append_bytes<uint32_t>(bytes, 0);
  append_nodes(
      bytes, blocks.size(), offset + bytes.size(), 32, 24,
      [&](size_t i) {
        append_span(i, i + 1);
        append_bytes(bytes, blocks[i].offset);
        append_bytes(bytes, blocks[i].bytes);
      },
      [&](size_t first, size_t end, uint64_t at) {
        append_span(first, end);
        append_bytes(bytes, at);
      });
  return bytes;
}

}  // namespace bigdna::genome
