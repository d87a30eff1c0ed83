// Debian's Gloo headers are older than the Gloo inside libtorch_cpu: this file only passes pointers to its types, and
// never links -lgloo.
#define USE_C10D_GLOO
#include "train/gloo.h"

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

namespace bigdna::train {

c10::intrusive_ptr<c10d::Backend> make_gloo(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
                                            std::chrono::milliseconds timeout) {
  return c10::make_intrusive<c10d::ProcessGroupGloo>(store, rank, size,
                                                     c10d::ProcessGroupGloo::Options::create_default(timeout));
}

}  // namespace bigdna::train
