#include "training/layer_rates.h"

#include <cmath>

namespace bigdna::training {

double LayerRates::factor(int64_t depth, int64_t layers) const {
  if (depth == layers) return head_factor;
  if (depth < frozen && frozen > 0) return 0;
  return std::pow(decay, static_cast<double>(layers - depth));
}

}  // namespace bigdna::training
