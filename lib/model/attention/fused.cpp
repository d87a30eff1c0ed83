#include "model/attention/fused.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/csrc/autograd/custom_function.h>

#include <array>
#include <cmath>
#include <map>

#include "base/error.h"
#include "kernels/attention.h"
#include "kernels/cuda_plugin.h"
#include "model/parallel.h"

namespace bigdna::model {
namespace {

/// A call's parameters beside its tensors; what the kernels see through pointers lives as long as this.
struct Call : torch::CustomClassHolder {
  AttentionPlan plan;
  AttentionOptions options;
  std::vector<kernels::LayoutView> layouts;
  at::Tensor device_layouts, device_lists,
      device_lengths;  // the same on a GPU: views, what they view, plan.lengths

  Call(const AttentionPlan& plan_, const AttentionOptions& options_, const at::Device& device)
      : plan(plan_), options(options_) {
    for (const auto& layout : plan.layouts)
      layouts.push_back({layout->blocks, layout->row_starts.data(), layout->columns.data(),
                         layout->column_starts.data(), layout->rows.data()});
    if (!device.is_cpu()) copy_to(device);
  }

 private:
  void copy_to(const at::Device& device) {
    std::vector<int32_t> lists;
    std::map<const sparsity::BlockLayout*, std::array<size_t, 4>> places;  // equal layouts are shared
    for (const auto& layout : plan.layouts) {
      const auto [place, added] = places.try_emplace(layout.get());
      size_t part = 0;
      for (const auto* list : {&layout->row_starts, &layout->columns, &layout->column_starts, &layout->rows})
        if (added) {
          place->second[part++] = lists.size();
          lists.insert(lists.end(), list->begin(), list->end());
        }
    }
    device_lists = at::from_blob(lists.data(), {static_cast<int64_t>(lists.size())}, at::kInt).to(device);
    const int32_t* base = device_lists.const_data_ptr<int32_t>();
    std::vector<kernels::LayoutView> views;
    for (const auto& layout : plan.layouts) {
      const auto& place = places[layout.get()];
      views.push_back({layout->blocks, base + place[0], base + place[1], base + place[2], base + place[3]});
    }
    const auto bytes = static_cast<int64_t>(views.size() * sizeof(kernels::LayoutView));
    device_layouts = at::from_blob(views.data(), {bytes}, at::kByte).to(device);
    device_lengths =
        at::from_blob(plan.lengths.data(), {static_cast<int64_t>(plan.lengths.size())}, at::kLong).to(device);
  }
};

at::Tensor rows_in_place(const at::Tensor& x) {
  return x.stride(3) == 1 || x.size(3) == 1 ? x : x.contiguous();
}
/// [batch, heads, n, head_size] with the heads of a token side by side.
at::Tensor empty_like_rows(const at::Tensor& x) {
  return at::empty({x.size(0), x.size(2), x.size(1), x.size(3)}, x.options()).permute({0, 2, 1, 3});
}
template <class Data>
kernels::Strided<Data> strided(const at::Tensor& x) {
  return {std::is_const_v<Data> ? const_cast<void*>(x.const_data_ptr()) : x.mutable_data_ptr(), x.stride(0),
          x.stride(1), x.stride(2)};
}

kernels::AttentionForward parameters(const Call& call, const at::Tensor& q, const at::Tensor& k,
                                     const at::Tensor& v, const at::Tensor& out,
                                     const at::Tensor& log_sum_exp) {
  kernels::AttentionForward p;
  p.precision = q.scalar_type() == at::kBFloat16 ? kernels::Precision::bf16 : kernels::Precision::fp32;
  p.batch = q.size(0), p.heads = q.size(1), p.n = q.size(2), p.head_size = q.size(3),
  p.block = call.plan.block;
  p.q = strided<const void>(q), p.k = strided<const void>(k), p.v = strided<const void>(v);
  p.out = strided<void>(out);
  if (log_sum_exp.defined()) p.log_sum_exp = log_sum_exp.mutable_data_ptr<float>();
  const bool cpu = q.is_cpu();
  p.lengths = cpu ? call.plan.lengths.data() : call.device_lengths.const_data_ptr<int64_t>();
  p.layouts = cpu ? call.layouts.data()
                  : static_cast<const kernels::LayoutView*>(call.device_layouts.const_data_ptr());
  p.scale = 1 / std::sqrt(static_cast<float>(p.head_size));
  p.dropout = call.options.dropout, p.dropout_seed = call.options.dropout_seed;
  p.threads = call.options.threads;
  p.parallel = parallel;
  return p;
}

/// On the tensors' device, on LibTorch's current stream there.
void* stream_of(const at::Device& device) {
  return c10::impl::VirtualGuardImpl(device.type()).getStream(device).native_handle();
}
void check_launch(int error) {
  if (error) fail("attention on the GPU: ", kernels::cuda_plugin().table->error_text(error));
}
void run_forward(const kernels::AttentionForward& p, const at::Device& device) {
  if (device.is_cpu()) return kernels::attention_forward_cpu(p);
  const c10::DeviceGuard guard(device);
  check_launch(kernels::cuda_plugin().table->attention_forward(&p, stream_of(device)));
}
void run_backward(const kernels::AttentionBackward& b, const at::Device& device) {
  if (device.is_cpu()) return kernels::attention_backward_cpu(b);
  const c10::DeviceGuard guard(device);
  const at::Tensor dots =
      at::empty({b.forward.batch, b.forward.heads, b.forward.n}, at::device(device).dtype(at::kFloat));
  check_launch(kernels::cuda_plugin().table->attention_backward(&b, dots.mutable_data_ptr<float>(),
                                                                stream_of(device)));
}

at::Tensor log_sum_exp_of(const at::Tensor& q) {
  return at::empty({q.size(0), q.size(1), q.size(2)}, q.options().dtype(at::kFloat));
}

class Fused : public torch::autograd::Function<Fused> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& q,
                            const at::Tensor& k, const at::Tensor& v, const c10::intrusive_ptr<Call>& call) {
    const at::Tensor q_rows = rows_in_place(q), k_rows = rows_in_place(k), v_rows = rows_in_place(v);
    at::Tensor out = empty_like_rows(q), log_sum_exp = log_sum_exp_of(q);
    run_forward(parameters(*call, q_rows, k_rows, v_rows, out, log_sum_exp), q.device());
    context->save_for_backward({q_rows, k_rows, v_rows, out, log_sum_exp});
    context->saved_data["call"] = at::IValue::make_capsule(call);
    return out;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto call = c10::static_intrusive_pointer_cast<Call>(context->saved_data["call"].toCapsule());
    const at::Tensor &q = saved[0], &k = saved[1], &v = saved[2];
    const at::Tensor grad_out = rows_in_place(gradients[0]);
    at::Tensor grad_q = empty_like_rows(q), grad_k = empty_like_rows(k), grad_v = empty_like_rows(v);
    kernels::AttentionBackward b;
    b.forward = parameters(*call, q, k, v, saved[3], saved[4]);
    b.grad_out = strided<const void>(grad_out);
    b.grad_q = strided<void>(grad_q), b.grad_k = strided<void>(grad_k), b.grad_v = strided<void>(grad_v);
    run_backward(b, q.device());
    return {grad_q, grad_k, grad_v, at::Tensor()};
  }
};

void check(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttentionPlan& plan) {
  if (!fused_serves(q) || k.scalar_type() != q.scalar_type() || v.scalar_type() != q.scalar_type() ||
      k.device() != q.device() || v.device() != q.device())
    fail("the fused attention backend serves fp32 and bf16 on CPUs and, through its plug-in, on GPUs, not ",
         q.scalar_type(), " on ", q.device().str());
  if (q.dim() != 4 || k.sizes() != q.sizes() || v.sizes() != q.sizes() ||
      static_cast<int64_t>(plan.lengths.size()) != q.size(0) ||
      static_cast<int64_t>(plan.layouts.size()) != q.size(0) * q.size(1))
    fail("attention: q ", q.sizes(), ", k ", k.sizes(), ", v ", v.sizes(),
         " do not fit each other or a plan of ", plan.lengths.size(), " sequences and ", plan.layouts.size(),
         " layouts");
}

}  // namespace

bool fused_serves(const at::Tensor& q) {
  if (q.scalar_type() != at::kFloat && q.scalar_type() != at::kBFloat16) return false;
  return q.is_cpu() || (q.is_cuda() && kernels::cuda_plugin().table && q.size(-1) <= kernels::kCudaHeadSize);
}

at::Tensor fused_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           const AttentionPlan& plan, const AttentionOptions& options) {
  check(q, k, v, plan);
  const auto call = c10::make_intrusive<Call>(plan, options, q.device());
  if (at::GradMode::is_enabled() && (q.requires_grad() || k.requires_grad() || v.requires_grad()))
    return Fused::apply(q, k, v, call);
  at::Tensor out = empty_like_rows(q);
  kernels::attention_forward_cpu(
      parameters(*call, rows_in_place(q), rows_in_place(k), rows_in_place(v), out, {}));
  return out;
}

}  // namespace bigdna::model
