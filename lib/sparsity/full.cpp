/// Full attention: every block attends to every block, or to every earlier one and itself.
#include "sparsity/patterns.h"
#include "sparsity/rows.h"

namespace bigdna::sparsity {

BlockLayout full_pattern_layout(const PatternConfig&, const Place& place) { return full_layout(place); }

}  // namespace bigdna::sparsity
