/// The options of `bigdna embed`. Without LibTorch, so that apps/options can use it.
#pragma once

#include <cstdint>
#include <string>

#include "genome/alphabet.h"
#include "io/formats.h"
#include "session/run_options.h"

namespace bigdna::prediction {

enum class Pool { cls, mean, token, base };
/// What the hidden states can be written as; the first is the default.
inline constexpr io::Format kEmbedFormats[] = {io::Format::tsv, io::Format::hdf5, io::Format::npy,
                                               io::Format::safetensors};

struct EmbedOptions {
  std::string model;
  std::string fasta;    // records, "-" for stdin; "" with `regions`
  std::string genome;   // with `regions`
  std::string regions;  // BED, "-" for stdin
  std::string output = "-";
  io::Format format = io::Format::tsv;
  Pool pool = Pool::mean;
  int64_t max_length = 0;  // tokens that are read together, [CLS] and [SEP] included; 0: the model's maximum
  int64_t layer = -1;      // hidden states after this layer, 0 for the embeddings; -1: the last
  bool strict = false;     // a record without bases is an error
  std::string counts;      // JSON: what became of the records; "": none
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;
  session::RunOptions run;
};

}  // namespace bigdna::prediction
