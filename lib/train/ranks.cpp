#include "train/ranks.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <c10/util/Logging.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <cstring>
#include <exception>

#include "base/error.h"
#include "base/log.h"
#include "train/gloo.h"
#include "train/nccl/open.h"

namespace bigdna::train {

using std::chrono::milliseconds;

struct Ranks::Group {
  c10::intrusive_ptr<c10d::Store> store;
  c10::intrusive_ptr<c10d::Backend> gloo, device;  // device: NCCL on GPUs, else Gloo
  bool broken = false;
  std::string name;  // of this rank, for messages

  /// Runs a call of c10d, and turns its failure into an Error that explains it.
  template <class F>
  auto guarded(F part) {
    try {
      return part();
    } catch (const std::exception& e) {
      broken = true;
      const std::string text = e.what();
      fail(name, ": another rank has ended, lost its connection or did not answer in time (",
           text.substr(0, text.find('\n')), "); --resume continues from the last checkpoint");
    }
  }
  Wait waiting(const c10::intrusive_ptr<c10d::Work>& work) {
    return [this, work] { guarded([&] { return work->wait(); }); };
  }
  c10d::Backend& backend_of(const at::Tensor& tensor) { return tensor.device().is_cpu() ? *gloo : *device; }
};

Ranks::Ranks() = default;

Ranks::Ranks(const RankLaunch& launch, const at::Device& device, double timeout)
    : rank_(launch.rank), size_(launch.size) {
  if (!several()) return;
  // c10d logs each failed attempt with a backtrace; failures that matter come as exceptions
  FLAGS_caffe2_log_level = 3;
  group_ = std::make_unique<Group>();
  group_->name = concat("rank ", rank_, " of ", size_);
  const milliseconds limit(static_cast<int64_t>(1000 * timeout));
  c10d::TCPStoreOptions options;
  options.port = static_cast<uint16_t>(launch.port);
  options.isServer = first() && !launch.listener;
  options.numWorkers = static_cast<size_t>(size_);
  options.waitWorkers = false;
  options.timeout = limit;
  const std::string here = concat(group_->name, " (", launch.variables, ")"),
                    there = concat(launch.address, " port ", launch.port);
  log::info(here, ": waiting for the others at ", there);
  try {
    const auto store = c10::make_intrusive<c10d::TCPStore>(launch.address, options);
    group_->store = c10::make_intrusive<c10d::PrefixStore>(concat("bigdna/", launch.attempt), store);
    group_->gloo = make_gloo(c10::make_intrusive<c10d::PrefixStore>("gloo", group_->store), rank_, size_, limit);
  } catch (const std::exception& e) {
    const std::string text = e.what();
    group_->broken = true;
    fail(here, ": could not connect to the others at ", there, " within ", timeout, " s (",
         text.substr(0, text.find('\n')), "); without these variables, one process trains alone");
  }
  group_->device = device.is_cpu()
                       ? group_->gloo
                       : open_nccl(c10::make_intrusive<c10d::PrefixStore>("nccl", group_->store), rank_, size_, limit);
  log::info(size_, " ranks connected at ", there, " by ", group_->device->getBackendName());
}

Ranks::~Ranks() {
  // The destructor of a group waits for calls that are still running, possibly for ever after a failure. The process
  // ends anyway.
  if (group_ && (group_->broken || std::uncaught_exceptions())) {
    group_->device.release();
    group_->gloo.release();
    group_->store.release();
  }
}

Ranks::Wait Ranks::sum_later(const at::Tensor& tensor) {
  if (!several()) return [] {};
  std::vector<at::Tensor> tensors{tensor};
  return group_->waiting(group_->guarded([&] { return group_->backend_of(tensor).allreduce(tensors); }));
}

Ranks::Wait Ranks::sum_later_onto(const at::Tensor& tensor, int root) {
  if (!several()) return [] {};
  std::vector<at::Tensor> tensors{tensor};
  c10d::ReduceOptions options;
  options.rootRank = root;
  return group_->waiting(group_->guarded([&] { return group_->backend_of(tensor).reduce(tensors, options); }));
}

void Ranks::broadcast(const at::Tensor& tensor, int root) {
  if (!several()) return;
  std::vector<at::Tensor> tensors{tensor};
  c10d::BroadcastOptions options;
  options.rootRank = root;
  group_->waiting(group_->guarded([&] { return group_->backend_of(tensor).broadcast(tensors, options); }))();
}

void Ranks::sum(std::vector<double>& values) {
  if (!several() || values.empty()) return;
  sum_later(
      at::from_blob(values.data(), {static_cast<int64_t>(values.size())}, at::TensorOptions().dtype(at::kDouble)))();
}

std::string Ranks::broadcast(const std::string& text, bool patience) {
  if (!several()) return text;
  int64_t length = static_cast<int64_t>(text.size());
  std::vector<at::Tensor> tensors{at::from_blob(&length, {1}, at::TensorOptions().dtype(at::kLong))};
  c10d::BroadcastOptions options;
  if (patience) options.timeout = std::chrono::hours(24 * 14);
  group_->waiting(group_->guarded([&] { return group_->gloo->broadcast(tensors, options); }))();
  const at::Tensor bytes = at::empty({length}, at::TensorOptions().dtype(at::kByte));
  if (first() && length > 0) std::memcpy(bytes.data_ptr(), text.data(), static_cast<size_t>(length));
  if (length > 0) broadcast(bytes);
  return {static_cast<const char*>(bytes.const_data_ptr()), static_cast<size_t>(length)};
}

}  // namespace bigdna::train
