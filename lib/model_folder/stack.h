/// The table of stacks: how the layers of an encoder follow each other. lib/model/stack.h has what they compute, in the
/// same order. Options, config.json, `bigdna info` and documentation read this table; no code compares a name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model_folder/own_parameter.h"
#include "model_folder/setting.h"

namespace bigdna::model_folder {

struct ModelConfig;
struct StackConfig;

struct StackRow {
  std::string_view name, summary, source;
  std::string_view equation;
  std::string_view oracle;  // what it is tested against, in words
  std::span<const Setting> settings{};
  std::span<const OwnParameter> parameters{};
  bool parameters_once = false;  // whether the last layer alone has them, not each
  bool plain = false;            // what transformers computes for the architecture
  bool branches = false;         // needs an architecture whose norms lie within the branches that are added
  bool recomputes = false;       // keeps nothing of a layer for the backward pass, whatever --recompute says
  bool adds = true;              // what a layer computes is added as it is, once: --init counts can start from it
  int64_t (*steps)(const ModelConfig&) = nullptr;  // how often the layers are repeated; unset: they are run once
  void (*check)(const ModelConfig&) = nullptr;     // UsageError
  int64_t kept = 0;  // numbers that a layer keeps beside its own for the backward pass, times the hidden size
};

/// The table; the first row is the default.
std::span<const StackRow> stacks();
const StackRow& stack(std::string_view name);  // UsageError naming the choices
const StackRow& stack(const ModelConfig& config);
/// Its number in the table.
size_t stack_index(const ModelConfig& config);
/// "gated:bias=1" with the defaults of what it does not name. UsageError.
StackConfig stack_from(std::string_view text);
/// The same with every setting, as config.json has it.
std::string to_string(const StackConfig& config);
/// How many layers are run one after the other: each step's.
int64_t layer_runs(const ModelConfig& config);
/// The layer whose weights a run has.
int64_t layer_of_run(const ModelConfig& config, int64_t run);
/// How many layers with the configuration's attention have been run before a run that has it.
int64_t attention_turn(const ModelConfig& config, int64_t run);
/// Whether what enters layer 0 has been normalised whenever it is run, so that it needs no norm of its own (modern).
bool first_layer_is_normed(const ModelConfig& config);
/// Adds the own parameters of all layers, under `prefix`N.
void stack_shapes(const ModelConfig& config, std::string_view prefix,
                  std::map<std::string, std::vector<int64_t>>& shapes);
/// UsageError naming what does not fit together.
void check_stack(const ModelConfig& config);
/// UsageError if --recompute would change nothing.
void check_recompute(const ModelConfig& config);

}  // namespace bigdna::model_folder
