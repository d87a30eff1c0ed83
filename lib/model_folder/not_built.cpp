/// What the surveys describe and bigdna does not have.
#include <array>

#include "model_folder/attention.h"

namespace bigdna::model_folder {
namespace {

constexpr std::array kNotBuilt{
    NotBuilt{"Transformer-XL", "000, 001, 003", "segments with memory, relative positions with u and v"},
    NotBuilt{"Compressive Transformer", "000, 003", "compressed memory and its reconstruction loss"},
    NotBuilt{"BP-Transformer", "000, 003", "a binary tree of spans"},
    NotBuilt{"HIBERT", "000, 003", "a document layer over sentences"},
    NotBuilt{"ETC's CPC", "000, 003", "a loss of its own over masked sentences; `etc` has their tokens and labels"},
    NotBuilt{"Longformer Encoder-Decoder, BigBird's encoder-decoder (Pegasus), Transformer's decoder", "000, 002, 001",
             "there is no decoder"},
    NotBuilt{"auxiliary losses at every layer", "001", "the loss is the last layer's"},
    NotBuilt{"Sinkhorn", "003", "the survey has one line on it"},
    NotBuilt{"Performer's Hadamard and Givens rotations", "000", "features are drawn by Gram-Schmidt alone"},
    NotBuilt{"attention with prior", "004", "a class name without a description"},
};

}  // namespace

std::span<const NotBuilt> not_built() { return kNotBuilt; }

}  // namespace bigdna::model_folder
