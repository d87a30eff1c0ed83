/// What bigdna-model sets up once, first thing in main().
#pragma once

namespace bigdna::model {

/// Makes malloc keep big blocks instead of giving them back to the kernel, which would hand them out again zeroed:
/// page faults eat half of LibTorch's CPU time on large tensors otherwise.
void start_runtime();

}  // namespace bigdna::model
