/// Sums gradients over ranks: on GPUs while the backward pass runs, on CPUs after it. They are kept in buckets, flat
/// buffers of about 25 MB that are sent as soon as their last gradient is complete (as in PyTorch's
/// DistributedDataParallel: Li et al., VLDB 2020). With one rank there are no buckets, and gradients are LibTorch's
/// own.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "model/parameters.h"
#include "train/ranks.h"

namespace bigdna::train {

class Gradients {
 public:
  /// `sharded`: each bucket is summed onto one rank only, which owns its parameters (ZeRO stage 1, Rajbhandari et al.,
  /// SC 2020): it keeps their optimiser state, updates them and sends them to the others. `parameters` must outlive
  /// this object and keep their tensors.
  Gradients(const model::Parameters& parameters, Ranks& ranks, bool sharded, int64_t bucket_bytes = 25 << 20);
  ~Gradients();
  Gradients(const Gradients&) = delete;
  Gradients& operator=(const Gradients&) = delete;

  /// The parameters that this rank updates: all, or its share.
  const model::Parameters& owned() const { return owned_; }
  int owner(const std::string& name) const;  // the rank that updates a parameter; 0 if all do

  /// Call before a step's first pass: makes gradients zero, or undefined with one rank.
  void begin();
  /// Call before this rank's last backward pass: from here on, complete buckets are sent.
  void last();
  /// Call instead of last() where gradients were added to the parameters by hand: sends those of `received`.
  void complete(const std::vector<at::Tensor>& received);
  /// Call after it: waits for all sums. Parameters that had no gradient on any rank again have none.
  void finish();
  /// Call after the update: sends the owners' parameters to every rank (if sharded), and drops the gradients.
  void share();

 private:
  struct Bucket;
  struct Hook;
  void arrived(size_t parameter);
  void launch_full();

  Ranks& ranks_;
  bool sharded_;
  model::Parameters owned_;
  std::vector<Bucket> buckets_;
  std::vector<at::Tensor> tensors_;  // in the order of buckets
  std::vector<size_t> bucket_of_;
  std::vector<double> seen_;  // 1: a gradient came in this step
  std::map<std::string, int> owner_;
  bool leaving_ = false;
  size_t launched_ = 0;  // buckets that were sent; their order is the same on every rank
};

}  // namespace bigdna::train
