/// One example of any task, before it becomes tensors: the same for MLM, promoters, chromatin and prediction.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "genome/region.h"

namespace bigdna::corpus {

struct Example {
  std::vector<int32_t> ids;            // [CLS] ... [SEP], with masks for MLM
  std::vector<uint8_t> token_types;    // 0 for [CLS] A [SEP], 1 for B [SEP]; as long as ids
  std::vector<int32_t> masked;         // MLM: positions in ids that are predicted, ascending
  std::vector<int32_t> masked_labels;  // MLM: the original ids at those positions
  int32_t prefix = 0;                  // gaps: tokens before the middle, which a model may read in both directions
  std::vector<float> targets;          // NSP: {1} where B is NOT the continuation (BERT's class 1); tasks: labels
  std::vector<float> weights;          // networks on bases: of each bin in the loss; targets: of its labels
  struct Range {
    int32_t first, last;  // half-open
  };
  std::vector<Range> scales;  // tasks: the tokens of each of model_folder::kPoolScales
  std::vector<float> pooled;  // tasks: what the head reads, where the encoder has been run already; otherwise empty
  genome::Region region;      // where the first segment or the interval lies
  int64_t index = 0;          // 0-based, in the order of the source
};

}  // namespace bigdna::corpus
