#include "model/attention/gpu.h"

#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>

#include <cstring>
#include <map>
#include <tuple>

#include "kernels/cuda_plugin.h"
#include "model/cuda_launch.h"

namespace bigdna::model {
namespace {

/// Pinned memory, so that a copy from it is queued like a kernel.
at::Tensor pinned(int64_t bytes) {
  return at::empty({bytes}, at::device(at::kCPU).dtype(at::kByte).pinned_memory(true));
}
at::Tensor on(const at::Device& device, int64_t count, at::ScalarType type) {
  return at::empty({count}, at::device(device).dtype(type));
}

template <class T>
int64_t size_of(const std::vector<T>& values) {
  return static_cast<int64_t>(values.size() * sizeof(T));
}
template <class T>
void put(char*& to, const std::vector<T>& values) {
  if (!values.empty()) std::memcpy(to, values.data(), values.size() * sizeof(T));
  to += size_of(values);
}

}  // namespace

kernels::Work GpuAttention::Walk::view() const {
  const auto* items = static_cast<const kernels::WorkItem*>(device.const_data_ptr());
  return {items,
          reinterpret_cast<const kernels::CutRows*>(items + lists.items.size()),
          static_cast<int64_t>(lists.items.size()),
          static_cast<int64_t>(lists.cuts.size()),
          lists.slots,
          lists.rows};
}

const GpuAttention::Walk& GpuAttention::walk(Walk& of, kernels::WorkLists (*plan)(const kernels::AttentionForward&)) {
  std::lock_guard lock(mutex_);
  if (of.device.defined()) return of;
  of.lists = plan(shape_);
  const at::Tensor host = pinned(size_of(of.lists.items) + size_of(of.lists.cuts));
  auto* to = static_cast<char*>(host.mutable_data_ptr());
  put(to, of.lists.items);
  put(to, of.lists.cuts);
  of.device = host.to(device_, /*non_blocking=*/true);
  return of;
}

GpuAttention::GpuAttention(const AttentionPlan& plan, int64_t heads, int64_t n, const at::Device& device)
    : plan_(plan), device_(device) {
  std::map<const sparsity::BlockLayout*, int64_t> places;  // equal layouts are shared: bytes from the lists' begin
  std::vector<const sparsity::BlockLayout*> distinct;
  int64_t list_bytes = 0;
  for (const auto& layout : plan_.layouts) {
    host_layouts_.push_back({layout->blocks, layout->row_starts.data(), layout->columns.data(),
                             layout->column_starts.data(), layout->rows.data()});
    if (!places.try_emplace(layout.get(), list_bytes).second) continue;
    distinct.push_back(layout.get());
    for (const auto* list : {&layout->row_starts, &layout->columns, &layout->column_starts, &layout->rows})
      list_bytes += size_of(*list);
  }
  const int64_t views_bytes = size_of(host_layouts_), lengths_bytes = size_of(plan_.lengths);
  uploaded_ = on(device, views_bytes + lengths_bytes + list_bytes, at::kByte);
  const auto* lists = static_cast<const char*>(uploaded_.const_data_ptr()) + views_bytes + lengths_bytes;
  std::vector<kernels::LayoutView> views;
  for (const auto& layout : plan_.layouts) {
    const auto* list = reinterpret_cast<const int32_t*>(lists + places[layout.get()]);
    kernels::LayoutView view{layout->blocks, list, nullptr, nullptr, nullptr};
    view.columns = list += layout->row_starts.size();
    view.column_starts = list += layout->columns.size();
    view.rows = list += layout->column_starts.size();
    views.push_back(view);
  }
  const at::Tensor host = pinned(uploaded_.numel());
  auto* to = static_cast<char*>(host.mutable_data_ptr());
  put(to, views);
  put(to, plan_.lengths);
  for (const auto* layout : distinct)
    for (const auto* list : {&layout->row_starts, &layout->columns, &layout->column_starts, &layout->rows})
      put(to, *list);
  uploaded_.copy_(host, /*non_blocking=*/true);

  shape_.batch = static_cast<int64_t>(plan_.lengths.size()), shape_.heads = heads, shape_.n = n,
  shape_.block = plan_.block;
  shape_.lengths = plan_.lengths.data();
  shape_.layouts = host_layouts_.data();
}

std::shared_ptr<GpuAttention> GpuAttention::of(const AttentionPlan& plan, int64_t heads, int64_t n,
                                               const at::Device& device) {
  using Key =
      std::tuple<int, c10::StreamId, int64_t, int64_t, std::vector<int64_t>, std::vector<const sparsity::BlockLayout*>>;
  constexpr size_t kMost = 64;  // a few equal batches of every layer
  static std::mutex mutex;
  // never destroyed, because LibTorch's CUDA half may end before it
  static auto* const cache = new std::map<Key, std::shared_ptr<GpuAttention>>;
  const c10::DeviceGuard guard(device);
  std::vector<const sparsity::BlockLayout*> layouts;
  for (const auto& layout : plan.layouts) layouts.push_back(layout.get());  // alive while cached: plan_ holds them
  Key key{device.index(), current_stream(device).id(), n, plan.block, plan.lengths, std::move(layouts)};
  std::lock_guard lock(mutex);
  if (const auto found = cache->find(key); found != cache->end()) return found->second;
  if (cache->size() >= kMost) cache->clear();
  return (*cache)[std::move(key)] = std::make_shared<GpuAttention>(plan, heads, n, device);
}

void GpuAttention::on_device(kernels::AttentionForward& p) const {
  p.layouts = static_cast<const kernels::LayoutView*>(uploaded_.const_data_ptr());
  p.lengths = reinterpret_cast<const int64_t*>(p.layouts + plan_.layouts.size());
}

void GpuAttention::forward(kernels::AttentionForward p) {
  const c10::DeviceGuard guard(device_);
  on_device(p);
  kernels::Work rows;
  if (kernels::tensor_cores_serve(p)) rows = walk(rows_, kernels::plan_rows).view();
  const at::Tensor parts = on(device_, kernels::forward_parts(rows, p.head_size), at::kFloat);
  check_launch(kernels::cuda_plugin().table->attention_forward(&p, &rows, parts.mutable_data_ptr<float>(),
                                                               current_stream(device_).native_handle()),
               "attention");
}

void GpuAttention::backward(kernels::AttentionBackward b) {
  const c10::DeviceGuard guard(device_);
  const kernels::AttentionForward& p = b.forward;
  on_device(b.forward);
  kernels::Work rows, columns;
  if (kernels::tensor_cores_serve(b)) {
    rows = walk(rows_, kernels::plan_rows).view();
    columns = walk(columns_, kernels::plan_columns).view();
  }
  const at::Tensor parts = on(device_, kernels::backward_parts(rows, columns, p.head_size), at::kFloat);
  const at::Tensor dots = on(device_, p.batch * p.heads * p.n, at::kFloat);
  check_launch(kernels::cuda_plugin().table->attention_backward(&b, &rows, &columns, dots.mutable_data_ptr<float>(),
                                                                parts.mutable_data_ptr<float>(),
                                                                current_stream(device_).native_handle()),
               "attention's gradients");
}

}  // namespace bigdna::model
