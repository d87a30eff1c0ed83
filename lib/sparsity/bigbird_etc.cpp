/// BigBird's ETC (paper, section 2 and appendix E): as ITC with its first blocks global, which are extra tokens that
/// the encoder puts before the text.
#include "sparsity/patterns.h"

namespace bigdna::sparsity {

BlockLayout bigbird_etc_layout(const PatternConfig& config, const Place& place) {
  PatternConfig first = config;
  first.global_blocks = GlobalBlocks::first;
  return bigbird_layout(first, place);
}

}  // namespace bigdna::sparsity
