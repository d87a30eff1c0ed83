/// c10d's Gloo group, in a file of its own because its header needs Gloo's headers, of another version than the Gloo in
/// LibTorch.
#pragma once

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

namespace bigdna::train {

/// Connects every rank with every other, through the interface of this machine's host name (or GLOO_SOCKET_IFNAME).
c10::intrusive_ptr<c10d::Backend> make_gloo(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
                                            std::chrono::milliseconds timeout);

}  // namespace bigdna::train
