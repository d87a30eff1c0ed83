/// Learning rates by depth in fine-tuning.
#pragma once

#include <cstdint>

namespace bigdna::training {

struct LayerRates {
  double decay = 1;  // of the rate from one layer to the one below (Howard and Ruder 2018; Clark et al. 2020, ELECTRA)
  int64_t frozen = 0;      // the embeddings and so many layers stay as they are; 0: none does, not even the embeddings
  double head_factor = 1;  // of the head's rate; 0: it stays as it is

  /// What the learning rate of a parameter is multiplied with, by where it lies (model_folder::depth_of) among `layers`
  /// layers: head_factor for the head, decay^1 for the last layer, decay^layers for the first, decay^(layers + 1) for
  /// the embeddings; 0 where it is frozen.
  double factor(int64_t depth, int64_t layers) const;
};

}  // namespace bigdna::training
