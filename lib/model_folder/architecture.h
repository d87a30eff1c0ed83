/// Architectures: one table of what their model folders hold and what transformers calls it. What they compute is
/// lib/model/architecture.h's, and how they start from counts lib/mlm/counts_init.cpp's.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "model_folder/config.h"
#include "model_folder/model_folder.h"

namespace bigdna::model_folder {

struct ArchitectureRow {
  std::string_view name, title;          // as an option's value, and in words
  std::string_view model_type, classes;  // transformers': in config.json, and how the names of its classes begin
  std::string_view pretraining;          // how the name of the class for MLM and NSP ends

  // Names of parameters, transformers'. Those that end with a dot are how several names begin.
  std::string_view encoder, layer, words, mlm, mlm_bias, decoder, task_dense, task_output;
  std::string_view last;                   // what follows the last layer; "": nothing
  std::span<const std::string_view> bare;  // how a bare encoder's begin, without `encoder`
  std::string_view has_mlm, has_nsp;       // parameters that only a model with that head has

  void (*adapt)(ModelConfig&);                                     // what it wants else than BigBird's defaults and a preset's sizes
  void (*check)(const ModelConfig&);                               // UsageError
  void (*write)(const ModelConfig&, nlohmann::ordered_json&);      // its part of config.json
  ModelConfig (*read)(const nlohmann::json&, const std::string&);  // of the file named; Error
  void (*shapes)(const ModelConfig&, Shapes&);                     // of its parameters
  double (*deviation)(const ModelConfig&, const std::string&);     // of a matrix's random initial values
  bool (*runs_task)(const ModelConfig&);                           // whether transformers' classifier computes this task head
};
extern const ArchitectureRow kBigBird, kModern;

/// In the order of `Architecture`.
std::span<const ArchitectureRow* const> architectures();
const ArchitectureRow& architecture(Architecture architecture);
inline const ArchitectureRow& architecture(const ModelConfig& config) { return architecture(config.architecture); }

/// How the names of the parameters of the branch that reads bases begin (model/bases.h), whatever the architecture. It is part of the head.
inline constexpr std::string_view kBases = "bigdna.bases.";
/// Whether a parameter belongs to the heads, the branch of bases among them, not to the encoder.
bool is_of_head(const ArchitectureRow& row, std::string_view name);

/// Whether a parameter is a LayerNorm's gain: it starts at 1, and weight decay leaves it alone.
bool is_gain(std::string_view name);
/// Where a parameter lies: the number of its layer (what follows the last one is its part), -1 for the embeddings, config.layers for heads.
int64_t depth_of(const ModelConfig& config, const std::string& name);

}  // namespace bigdna::model_folder
