/// What bigdna-model sets up once, at the beginning of main().
#pragma once

namespace bigdna::model {

/// Makes malloc keep large blocks instead of returning them to the kernel, which would have to zero them again:
/// otherwise page faults take half of LibTorch's CPU time on large tensors.
void start_runtime();

}  // namespace bigdna::model
