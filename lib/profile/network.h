/// Inference with a profile model (model_folder/profile_config.h): from bases to counts and profiles.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/parameters.h"
#include "model_folder/profile_config.h"
#include "profile/part.h"
#include "session/placement.h"
#include "session/run_options.h"

namespace bigdna::profile {

/// What a model says of one window.
struct Prediction {
  std::vector<float> logits;  // [strands, output]
  double log_counts = 0;      // natural logarithm of the expected number of reads
};

/// Every method may be called by several threads at the same time and runs on the calling thread.
class Network {
 public:
  /// Reads the weights of a folder. Error if they do not fit its configuration.
  Network(const model_folder::ProfileFolder& folder, const session::Placement& placement);
  Network(const model_folder::ProfileConfig& config, const model::Parameters& parameters,
          const session::Placement& placement, std::string path);

  const model_folder::ProfileConfig& config() const { return config_; }
  const session::Placement& placement() const { return placement_; }

  /// Of `bases` (as many as the window; others than A, C, G and T count as none), along the strand as given.
  /// `controls`: tracks row-major [controls, window]; empty: zeros.
  Prediction predict(std::string_view bases, Part part, std::span<const float> controls = {}) const;
  /// For Strands::average, the mean of both strands' readings: of logits, where they lie on the strand as given, and of
  /// expected counts, as kundajelab/variant-scorer takes it.
  Prediction predict(std::string_view bases, Part part, session::Strands strands) const;

 private:
  /// Weights as the products of a half need them: each [inputs, outputs].
  struct Half {
    model_folder::ProfileHalf shape;
    at::Tensor first, first_bias;                        // [21 x 4, filters]
    std::vector<at::Tensor> dilated, dilated_bias;       // [3, filters, filters]
    at::Tensor profile, profile_bias, profile_controls;  // [filters, strands x 75]
    at::Tensor count;                                    // [filters]
    double count_bias = 0, count_controls = 0;
  };
  Half half_of(const model_folder::ProfileHalf& shape, const model::Parameters& parameters) const;
  Prediction run(const Half& half, const at::Tensor& letters, const at::Tensor& controls) const;

  model_folder::ProfileConfig config_;
  session::Placement placement_;
  std::vector<Half> halves_;
  std::string path_;
};

/// The share of the reads that each base of each strand has: the softmax over all of them, as BPNet's are trained.
std::vector<float> probabilities(std::span<const float> logits);

}  // namespace bigdna::profile
