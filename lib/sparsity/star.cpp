/// Star Transformer's pattern (Guo et al. 2019) in blocks: neighbours, and relays that every token sees and that see
/// every token. They are learned tokens before the text. With blocks of one token, one relay and a window of 3 it is
/// the paper's star; relays and tokens are updated at the same time here, and in turn there.
#include "sparsity/patterns.h"

namespace bigdna::sparsity {

BlockLayout star_layout(const PatternConfig& config, const Place& place) {
  PatternConfig first = config;
  first.global_blocks = GlobalBlocks::first;
  return global_window_layout(first, place);
}

}  // namespace bigdna::sparsity
