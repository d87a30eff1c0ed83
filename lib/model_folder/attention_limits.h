/// Numbers of rows of the table of attentions that the rows (costs, shapes) and what they compute have in common.
#pragma once

#include <cstdint>

namespace bigdna::model_folder {

/// `prior`: keys whose scores fall by more than this are not read: at equal scores, their weights are below 3e-9.
inline constexpr double kPriorReach = 20;
/// `tree`: levels of nodes that have labels of their own; those above share the last one's.
inline constexpr int64_t kTreeLevels = 16;

}  // namespace bigdna::model_folder
