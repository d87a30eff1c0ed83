/// What the files that hold rows of the table of attentions share.
#pragma once

#include <span>

#include "model_folder/attention.h"
#include "model_folder/config.h"

namespace bigdna::model_folder {

inline double setting_value(const ModelConfig& config, const char* setting) { return config.attention.at(setting); }
inline int64_t whole_setting(const ModelConfig& config, const char* setting) {
  return static_cast<int64_t>(setting_value(config, setting));
}
/// Of parameters that start at 0.
inline double start_at_zero(const ModelConfig&) { return 0; }

/// Rows that replace softmax over a pattern by memory, distance, sorting or a tree (attention_rows_memory.cpp); they
/// stand at the end of the table.
std::span<const AttentionRow> memory_rows();

}  // namespace bigdna::model_folder
