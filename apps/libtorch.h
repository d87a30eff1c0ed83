/// Which LibTorch bigdna-model loads. A build and the tarball have their own; a wheel's programs take Python's torch.
#pragma once

#include <optional>
#include <string>

namespace bigdna::apps {

/// "2.11.0+cu130": what bigdna was compiled with.
std::string libtorch_version();

struct LibTorchFault {
  std::string what, remedy;
};

/// Looks for the torch that bigdna-model will need: the folder BIGDNA_TORCH (the wheel's launcher sets it to the torch
/// that Python imports), or site-packages/torch beside a wheel's package. Puts the libraries of BIGDNA_TORCH on the
/// search path of programs started from now on, and returns what is wrong: no torch, or another minor version than the
/// one that bigdna was compiled with, whose functions differ. nullopt also where neither applies.
std::optional<LibTorchFault> choose_libtorch();

}  // namespace bigdna::apps
