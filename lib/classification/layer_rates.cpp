#include "classification/layer_rates.h"

#include <cmath>
#include <cstdlib>

namespace bigdna::classification {

double LayerRates::factor(const std::string& name, int64_t layers) const {
  static const std::string kLayer = "bert.encoder.layer.";
  if (name.starts_with("classifier.")) return head_factor;
  const int64_t layer = name.starts_with(kLayer) ? std::atoll(name.c_str() + kLayer.size()) : -1;
  if (layer < frozen && frozen > 0) return 0;
  return std::pow(decay, static_cast<double>(layers - layer));
}

}  // namespace bigdna::classification
