/// BigBird's ETC (paper, section 2 and appendix E): as ITC with its first blocks global, but these are extra tokens that the encoder puts there.
#include "sparsity/extra_global.h"
#include "sparsity/patterns.h"

namespace bigdna::sparsity {

int64_t extra_global_tokens(const PatternConfig& config) { return config.name == "bigbird-etc" ? config.global * config.block : 0; }

BlockLayout bigbird_etc_layout(const PatternConfig& config, const Place& place) {
  PatternConfig first = config;
  first.global_blocks = GlobalBlocks::first;
  return bigbird_layout(first, place);
}

}  // namespace bigdna::sparsity
