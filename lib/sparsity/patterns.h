/// One function per pattern, one file each: the rows of the table in pattern.cpp.
#pragma once

#include "sparsity/pattern.h"

namespace bigdna::sparsity {

BlockLayout bigbird_layout(const PatternConfig& config, const Place& place);
BlockLayout bigbird_etc_layout(const PatternConfig& config, const Place& place);
BlockLayout full_pattern_layout(const PatternConfig& config, const Place& place);
BlockLayout window_layout(const PatternConfig& config, const Place& place);
BlockLayout random_layout(const PatternConfig& config, const Place& place);
BlockLayout window_random_layout(const PatternConfig& config, const Place& place);

BlockLayout global_window_layout(const PatternConfig& config, const Place& place);
BlockLayout strided_layout(const PatternConfig& config, const Place& place);
BlockLayout fixed_layout(const PatternConfig& config, const Place& place);
BlockLayout blockbert_layout(const PatternConfig& config, const Place& place);
BlockLayout local_layout(const PatternConfig& config, const Place& place);
BlockLayout image_layout(const PatternConfig& config, const Place& place);
BlockLayout star_layout(const PatternConfig& config, const Place& place);

}  // namespace bigdna::sparsity
