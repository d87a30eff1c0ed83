/// The processes of one training run, one per device, on c10d: Gloo between CPUs and for small values, NCCL between
/// GPUs. A run of one process has a Ranks too, whose calls do nothing, so the loop is the same for both.
///
/// Every rank calls the same functions in the same order. If a rank ends, loses its connection or does not answer
/// within the timeout, the next call of the others throws an Error that says so.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "train/launch.h"

namespace bigdna::train {

class Ranks {
 public:
  /// A run of one process.
  Ranks();
  /// Connects to the others within `timeout` seconds; tensors on `device` can be summed then. Error if they do not
  /// come.
  Ranks(const RankLaunch& launch, const at::Device& device, double timeout);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool first() const { return rank_ == 0; }  // the rank that logs and writes
  bool several() const { return size_ > 1; }

  /// Starts an in-place sum of a tensor over ranks, onto every rank or onto `root` alone (on other ranks the tensor's
  /// contents are then undefined). The function that is returned waits for it.
  using Wait = std::function<void()>;
  Wait sum_later(const at::Tensor& tensor);
  Wait sum_later_onto(const at::Tensor& tensor, int root);
  /// Copies `root`'s tensor to every rank, in place.
  void broadcast(const at::Tensor& tensor, int root = 0);

  /// Sums values over ranks, in double precision.
  void sum(std::vector<double>& values);
  /// Returns rank 0's text on every rank. With `patience`, waits as long as rank 0 lives (it may prepare data for
  /// days).
  std::string broadcast(const std::string& text, bool patience = false);

  /// This rank's part [begin, end) of `count` items. Parts are in the order of ranks and as equal as possible.
  struct Range {
    int64_t begin, end;
  };
  Range part(int64_t count) const { return {count * rank_ / size_, count * (rank_ + 1) / size_}; }

 private:
  struct Group;
  int rank_ = 0, size_ = 1;
  std::unique_ptr<Group> group_;  // null: alone
};

}  // namespace bigdna::train
