/// Published systems that bigdna does not have.
#include <array>

#include "model_folder/attention.h"
#include "sparsity/references.h"

namespace bigdna::model_folder {
namespace {

namespace references = sparsity::references;

constexpr std::array kNotBuilt{
    NotBuilt{
        "HIBERT over tokens", references::kHibert,
        "`train --layers` has its two levels where DNA has a use for them: convolutions read each bin of a region, "
        "layers over the bins follow, and each bin has labels. Its sentence masks and sentence decoder would need "
        "sentences, which DNA does not have"},
    NotBuilt{"ETC's CPC", references::kEtc,
             "it contrasts a masked sentence with its surroundings. DNA has no sentences: the corpus cuts its own at "
             "random. `etc` has the tokens and labels"},
    NotBuilt{
        "cross-attention of encoder-decoders (Longformer Encoder-Decoder, BigBird-Pegasus)", references::kLongformer,
        "`pretrain --gaps --bidirectional-flanks` trains an encoder-decoder with shared weights: the flanks are the "
        "encoder's input, and the middle attends to them and to itself in one softmax (a prefix LM). Cross-attention "
        "with weights of its own would start from random weights"},
    NotBuilt{"losses at every layer, and of several targets", references::kDeeperLosses,
             "they help deep models to learn from random weights; models start from counts here (`--init counts`) and "
             "have few layers. `--objective next` predicts at every position, as the paper does"},
    NotBuilt{"Transformer-XL's stopped gradients", references::kTransformerXl,
             "`xl` has the relative positions. An input holds segment and memory in one pass, so the memory is never "
             "stale, and stopping its gradient would save nothing"},
};

}  // namespace

std::span<const NotBuilt> not_built() { return kNotBuilt; }

}  // namespace bigdna::model_folder
