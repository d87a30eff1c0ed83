/// Published systems that bigdna does not have.
#include <array>

#include "model_folder/attention.h"
#include "sparsity/references.h"

namespace bigdna::model_folder {
namespace {

namespace references = sparsity::references;

constexpr std::array kNotBuilt{
    NotBuilt{"Transformer-XL", references::kTransformerXl, "segments with memory, relative positions with u and v"},
    NotBuilt{"Compressive Transformer", references::kCompressive, "compressed memory and its reconstruction loss"},
    NotBuilt{"BP-Transformer", references::kBinaryPartitioning, "a binary tree of spans"},
    NotBuilt{"HIBERT", references::kHibert, "a document layer over sentences"},
    NotBuilt{"ETC's CPC", references::kEtc,
             "a loss of its own over masked sentences; `etc` has their tokens and labels"},
    NotBuilt{"Longformer Encoder-Decoder, BigBird's encoder-decoder (Pegasus)", references::kLongformer,
             "models are encoders or decoders (`pretrain --objective next`), not both"},
    NotBuilt{"auxiliary losses at every layer", references::kDeeperLosses, "the loss is the last layer's"},
    NotBuilt{"Sinkhorn", references::kSinkhorn, "blocks are not sorted"},
    NotBuilt{"Performer's Hadamard and Givens rotations", references::kPerformer,
             "features are drawn by Gram-Schmidt alone"},
};

}  // namespace

std::span<const NotBuilt> not_built() { return kNotBuilt; }

}  // namespace bigdna::model_folder
