/// The table of architectures: what their model folders hold and what transformers calls it. lib/model/architecture.h
/// has what they compute, lib/mlm/counts_init.cpp how they start from counts.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "model_folder/config.h"
#include "model_folder/model_folder.h"

namespace bigdna::model_folder {

/// Rows of a matrix, from `first` on.
struct MatrixRows {
  std::string name;
  int64_t first = 0;
};

struct ArchitectureRow {
  std::string_view name, title;          // as an option's value, and for messages
  std::string_view model_type, classes;  // transformers': the key in config.json, and the prefix of its class names
  std::string_view pretraining;          // suffix of the class name for MLM and NSP

  // transformers' names of parameters. Those that end with a dot are prefixes.
  std::string_view encoder, layer, words, mlm, mlm_bias, decoder, task_dense, task_output;
  std::string_view last;                   // prefix of what follows the last layer; "" for nothing
  std::span<const std::string_view> bare;  // prefixes in a bare encoder's file, which lacks `encoder`
  std::string_view has_mlm, has_nsp;       // parameters that only a model with this head has
  bool token_types;                        // whether transformers' classes take token_type_ids
  bool branches;                           // whether norms lie within what layers add (for stacks)

  void (*adapt)(ModelConfig&);        // sets what differs from BigBird's defaults and a preset's sizes
  void (*check)(const ModelConfig&);  // UsageError
  void (*write)(const ModelConfig&, nlohmann::ordered_json&);      // adds its part of config.json
  ModelConfig (*read)(const nlohmann::json&, const std::string&);  // config.json; Error naming the file
  void (*shapes)(const ModelConfig&, Shapes&);                     // adds its parameters
  double (*deviation)(const ModelConfig&, const std::string&);     // standard deviation of a matrix's initial values
  /// Where a layer's projection of queries, keys or values ("query", "key", "value") begins.
  MatrixRows (*projection)(const ModelConfig&, int64_t layer, std::string_view which);
  bool (*runs_task)(const ModelConfig&);  // whether transformers' classifier computes this task head
};
extern const ArchitectureRow kBigBird, kModern;

/// In the order of `Architecture`.
std::span<const ArchitectureRow* const> architectures();
const ArchitectureRow& architecture(Architecture architecture);
inline const ArchitectureRow& architecture(const ModelConfig& config) { return architecture(config.architecture); }

/// Whether a parameter belongs to the heads, not to the encoder.
bool is_of_head(const ArchitectureRow& row, std::string_view name);

/// Whether a parameter is a LayerNorm's gain: it starts at 1, and weight decay leaves it alone.
bool is_gain(std::string_view name);
/// The layer of a parameter, from 0: -1 for the embeddings, config.layers for heads. What follows the last layer counts
/// as its part.
int64_t depth_of(const ModelConfig& config, const std::string& name);

}  // namespace bigdna::model_folder
