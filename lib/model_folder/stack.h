/// The table of stacks: how the layers of an encoder follow each other. lib/model/stack.h has what they compute, in the
/// same order. Options, config.json, `bigdna info` and documentation read this table; no code compares a name.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace bigdna::model_folder {

struct ModelConfig;

struct StackRow {
  std::string_view name, summary, survey;
  std::string_view equation;
  std::string_view oracle;  // what it is tested against, in words
  bool plain;               // what transformers computes for the architecture
  bool branches;            // needs an architecture whose norms lie within the branches that are added
  bool recomputes;          // keeps nothing of a layer for the backward pass, whatever --recompute says
};

/// The table; the first row is the default.
std::span<const StackRow> stacks();
const StackRow& stack(std::string_view name);  // UsageError naming the choices
const StackRow& stack(const ModelConfig& config);
/// Its number in the table.
size_t stack_index(const ModelConfig& config);
/// UsageError naming what does not fit together.
void check_stack(const ModelConfig& config);
/// UsageError if --recompute would change nothing.
void check_recompute(const ModelConfig& config);

}  // namespace bigdna::model_folder
