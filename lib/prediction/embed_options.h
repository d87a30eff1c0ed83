/// The options of `bigdna embed`. Without LibTorch, so that apps/options can use it.
#pragma once

#include <cstdint>
#include <string>

#include "io/formats.h"
#include "prediction/sequence_input.h"
#include "session/run_options.h"

namespace bigdna::prediction {

enum class Pool { cls, mean, token, base };
/// What the hidden states can be written as; the first is the default.
inline constexpr io::Format kEmbedFormats[] = {io::Format::tsv, io::Format::hdf5, io::Format::npy,
                                               io::Format::safetensors};

struct EmbedOptions {
  std::string model;
  SequenceInput input;
  std::string output = "-";
  io::Format format = io::Format::tsv;
  Pool pool = Pool::mean;
  int64_t max_length = 0;  // tokens that are read together, [CLS] and [SEP] included; 0: the model's maximum
  int64_t layer = -1;      // hidden states after this layer, 0 for the embeddings; -1: the last
  std::string counts;      // JSON: what became of the records; "": none
  session::RunOptions run;
};

}  // namespace bigdna::prediction
