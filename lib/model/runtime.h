/// What bigdna-model sets up once, at the beginning of main().
#pragma once

namespace bigdna::model {

/// Makes malloc keep large blocks instead of returning them to the kernel, which would have to zero them again:
/// otherwise page faults take half of LibTorch's CPU time on large tensors. And makes the processor take numbers below
/// 1.2e-38 for 0: heads that look at one neighbour alone give all other tokens such weights, and a product that meets
/// them takes several times as long. And keeps a GPU's convolutions in the precision that was asked for (cuDNN would
/// round fp32 to TF32's 11 bits).
void start_runtime();

}  // namespace bigdna::model
