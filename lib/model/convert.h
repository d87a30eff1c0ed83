/// Models of other programs in, models for other programs out: Hugging Face folders either way.
#pragma once

#include <string>

#include "io/output.h"

namespace bigdna::model {

struct ConvertOptions {
  std::string input;          // a folder, or a weights file with config.json beside it
  std::string output;         // a model folder
  std::string vocabulary;     // "": of the input folder
  std::string head;           // keep only this: "pretraining", "mlm" or "none"; "": what there is
  std::string pattern;        // attention pattern to use from now on; "": as the input says
  int64_t max_length = 0;     // tokens that it reads from now on; 0: as the input says
  std::string random_blocks;  // sparsity::RandomBlocks by name; "": as the input says (transformers': huggingface)
  io::Existing existing = io::Existing::refuse;
};

/// Reads model.safetensors or pytorch_model.bin (PyTorch's zip format, 1.6 and later) and writes a model folder.
/// Tolerated: absent tied keys, old position_ids, other pad ids, models without NSP head, encoders without any. A
/// pooler that no head needs and the file lacks is freshly initialised. Error listing what else does not fit, for a
/// pattern from or to bigbird-etc, whose global tokens are weights, and for another max_length where positions are.
void convert(const ConvertOptions& options);

}  // namespace bigdna::model
