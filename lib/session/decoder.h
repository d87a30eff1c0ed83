/// Inference with causal models, token by token. Session reads whole sequences.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "model/past.h"
#include "model_folder/model_folder.h"
#include "session/placement.h"

namespace bigdna::session {

/// May be used by several threads at the same time, each with pasts of its own.
class Decoder {
 public:
  /// `parameters` of `config` may be on any device; they are moved and cast here. `name`: the model's, for errors.
  Decoder(const model_folder::ModelConfig& config, const model::Parameters& parameters, const Placement& placement,
          std::string name = "the model");
  /// Reads the folder's weights.
  Decoder(const model_folder::ModelFolder& folder, const Placement& placement);

  const model_folder::ModelConfig& config() const { return config_; }
  const Placement& placement() const { return placement_; }
  /// Reads a further token of each sequence, on the calling thread. Logits of the token behind it, row-major
  /// [sequences, config().vocab_size]. They are the same, bit for bit, on any number of threads.
  std::vector<float> next(std::span<const int32_t> ids, model::Past& past) const;

 private:
  std::string name_;
  model_folder::ModelConfig config_;
  Placement placement_;
  model::Parameters parameters_;
  std::unique_ptr<std::mutex> queue_ = std::make_unique<std::mutex>();  // held while a token is queued on a GPU
};

}  // namespace bigdna::session
