/// Imports models of other programs, and exports models for them: Hugging Face folders in both directions.
#pragma once

#include <string>

#include "io/folder.h"
#include "io/safetensors.h"

namespace bigdna::model {

struct ConvertOptions {
  std::string input;          // a folder, or a weights file with config.json beside it
  std::string output;         // a model folder
  std::string vocabulary;     // "": the input folder's
  std::string head;           // keep only this head: "pretraining", "mlm" or "none"; "": keep what there is
  std::string pattern;        // new attention pattern; "": the input's
  std::string attention;      // new attention with its settings (attention_from()); "": the input's
  int64_t max_length = 0;     // new maximum length in tokens; 0: the input's
  std::string random_blocks;  // new sparsity::RandomBlocks, by name; "": the input's (transformers': huggingface)
  io::Dtype weights = io::Dtype::f32;
  io::Existing existing = io::Existing::refuse;
};

/// Reads model.safetensors or pytorch_model.bin (PyTorch's zip format, 1.6 and later) and writes a model folder. Of a
/// network on bases only the type of its weights can change.
/// Accepted are absent tied keys, position_ids of older versions, other pad ids, models without an NSP head, and
/// encoders without heads. A missing pooler that no head needs is newly initialised. Error listing all other
/// mismatches; Error also for a change of pattern from or to bigbird-etc, whose global tokens are weights, and of
/// max_length if positions are weights, and of an attention whose weights begin at random.
void convert(const ConvertOptions& options);

}  // namespace bigdna::model
