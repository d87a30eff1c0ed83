/// Reads the tensors of a file that PyTorch's torch.save wrote (pytorch_model.bin).
#pragma once

#include <string>

#include "model/parameters.h"

namespace bigdna::model {

/// The tensors of a state dict by name, each as contiguous float: what torch.save(model.state_dict(), path) writes
/// since PyTorch 1.6 (a zip file), or torch.save of a plain dict of tensors. No code of the file is run: of Python's
/// pickle only the instructions and the few names that such files need are known, and every size is checked.
/// LibTorch's own reader takes an OrderedDict, as state_dict() returns it, for None, and believes sizes. Error naming
/// the file for another format, a damaged one, or values that are not tensors.
Parameters read_state_dict(const std::string& path);

}  // namespace bigdna::model
