/// AdamW (Loshchilov and Hutter 2019) with BERT's exclusions, and the learning-rate schedule.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>

#include "model/parameters.h"

namespace bigdna::train {

struct AdamWOptions {
  double weight_decay = 0.01, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-6, clip_norm = 1.0;  // clip_norm 0: no clipping
};

/// Whether weight decay applies: not to biases and LayerNorm, as in the released code, nor where an attention's own
/// parameter is updated in another way (model_folder::Update).
bool decays(const std::string& name);

/// Linear warm-up to `peak` over `warmup` steps, then linear decay that ends at 0 after the last of `steps`.
/// `step` is 0-based; the first step's rate is peak / warmup, not 0.
double learning_rate(int64_t step, double peak, int64_t warmup, int64_t steps);
/// BERT's and the paper's warm-up: min(10 000, 10 % of the steps).
int64_t default_warmup(int64_t steps);

/// The norm of all gradients together, as one vector; without those of parameters that are moving averages
/// (model_folder::Update).
double gradient_norm(const model::Parameters& parameters);

/// The factor of a parameter's learning rate, by its name; an empty function stands for 1.
using RateFactor = std::function<double(const std::string& name)>;

/// The state of AdamW: two moments per parameter that requires gradients, on the parameter's device, and the number of
/// steps taken.
struct AdamW {
  model::Parameters exp_avg, exp_avg_sq;
  int64_t step = 0;

  explicit AdamW(const model::Parameters& parameters);
  /// Makes one step of the parameters that this state was made for, and drops their gradients. These are first scaled
  /// down to clip_norm if `norm`, over all gradients of all ranks, is larger. Parameters without a gradient do not
  /// change. Returns the squared norm of the change if `measure`, else 0.
  double update(const model::Parameters& parameters, double rate, const AdamWOptions& options, double norm,
                bool measure = false, const RateFactor& factor = {});
};

}  // namespace bigdna::train
