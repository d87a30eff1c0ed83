#include "model/attention/fused.h"

#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/functions/utils.h>

#include <cmath>

#include "base/error.h"
#include "kernels/attention.h"
#include "kernels/cuda_plugin.h"
#include "model/attention/gpu.h"
#include "model/parallel.h"

namespace bigdna::model {
namespace {

/// A call's parameters apart from its tensors; keeps alive what the kernels see through pointers.
struct Call : torch::CustomClassHolder {
  AttentionPlan plan;
  AttentionOptions options;
  std::vector<kernels::LayoutView> layouts;
  std::shared_ptr<GpuAttention> gpu;  // null on a CPU

  Call(const AttentionPlan& plan_, const AttentionOptions& options_, const at::Tensor& q)
      : plan(plan_), options(options_) {
    if (!q.is_cpu()) gpu = GpuAttention::of(plan, q.size(1), q.size(2), q.device());
    for (const auto& layout : plan.layouts)
      layouts.push_back({layout->blocks, layout->row_starts.data(), layout->columns.data(),
                         layout->column_starts.data(), layout->rows.data(), layout->prefix});
  }
};

at::Tensor rows_in_place(const at::Tensor& x) { return x.stride(3) == 1 || x.size(3) == 1 ? x : x.contiguous(); }
/// [batch, heads, n, head_size] with the heads of a token side by side.
at::Tensor empty_like_rows(const at::Tensor& x) {
  return at::empty({x.size(0), x.size(2), x.size(1), x.size(3)}, x.options()).permute({0, 2, 1, 3});
}
template <class Data>
kernels::Strided<Data> strided(const at::Tensor& x) {
  return {std::is_const_v<Data> ? const_cast<void*>(x.const_data_ptr()) : x.mutable_data_ptr(), x.stride(0),
          x.stride(1), x.stride(2)};
}

kernels::AttentionForward parameters(const Call& call, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                     const at::Tensor& out, const at::Tensor& log_sum_exp) {
  kernels::AttentionForward p;
  p.precision = precision_of(q.scalar_type());
  p.batch = q.size(0), p.heads = q.size(1), p.n = q.size(2), p.head_size = q.size(3), p.block = call.plan.block;
  p.q = strided<const void>(q), p.k = strided<const void>(k), p.v = strided<const void>(v);
  p.out = strided<void>(out);
  if (log_sum_exp.defined()) p.log_sum_exp = log_sum_exp.mutable_data_ptr<float>();
  p.lengths = call.plan.lengths.data();
  p.layouts = call.layouts.data();
  p.scale = 1 / std::sqrt(static_cast<float>(p.head_size));
  p.causal = call.plan.causal;
  p.dropout = call.options.dropout, p.dropout_seed = call.options.dropout_seed;
  p.threads = call.options.threads;
  p.parallel = parallel;
  return p;
}

void run_forward(const Call& call, const kernels::AttentionForward& p) {
  call.gpu ? call.gpu->forward(p) : kernels::attention_forward_cpu(p);
}
void run_backward(const Call& call, const kernels::AttentionBackward& b) {
  call.gpu ? call.gpu->backward(b) : kernels::attention_backward_cpu(b);
}

at::Tensor log_sum_exp_of(const at::Tensor& q) {
  return at::empty({q.size(0), q.size(1), q.size(2)}, q.options().dtype(at::kFloat));
}

class Fused : public torch::autograd::Function<Fused> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& q, const at::Tensor& k,
                            const at::Tensor& v, const c10::intrusive_ptr<Call>& call) {
    const at::Tensor q_rows = rows_in_place(q), k_rows = rows_in_place(k), v_rows = rows_in_place(v);
    at::Tensor out = empty_like_rows(q), log_sum_exp = log_sum_exp_of(q);
    run_forward(*call, parameters(*call, q_rows, k_rows, v_rows, out, log_sum_exp));
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
    run_backward(*call, b);
    return {grad_q, grad_k, grad_v, at::Tensor()};
  }
};

void check(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttentionPlan& plan) {
  if (!fused_serves(q, plan.causal) || k.scalar_type() != q.scalar_type() || v.scalar_type() != q.scalar_type() ||
      k.device() != q.device() || v.device() != q.device())
    fail(
        "the fused attention backend serves fp32 and bf16 on CPUs and, through its plug-in, those and fp16 on GPUs "
        "unless attention is causal, not ",
        plan.causal ? "causal " : "", q.scalar_type(), " on ", q.device().str());
  if (q.dim() != 4 || k.sizes() != q.sizes() || v.sizes() != q.sizes() ||
      static_cast<int64_t>(plan.lengths.size()) != q.size(0) ||
      static_cast<int64_t>(plan.layouts.size()) != q.size(0) * q.size(1))
    fail("attention: q ", q.sizes(), ", k ", k.sizes(), ", v ", v.sizes(), " do not match each other, or a plan of ",
         plan.lengths.size(), " sequences and ", plan.layouts.size(), " layouts");
}

}  // namespace

bool fused_serves(const at::Tensor& q, bool causal) {
  const auto type = q.scalar_type();
  if (q.is_cpu()) return type == at::kFloat || type == at::kBFloat16;
  return q.is_cuda() && !causal && (type == at::kFloat || type == at::kBFloat16 || type == at::kHalf) &&
         kernels::cuda_plugin().table && q.size(-1) <= kernels::kCudaHeadSize;
}

at::Tensor fused_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttentionPlan& plan,
                           const AttentionOptions& options) {
  check(q, k, v, plan);
  const auto call = c10::make_intrusive<Call>(plan, options, q);
  if (torch::autograd::compute_requires_grad(q, k, v)) return Fused::apply(q, k, v, call);
  at::Tensor out = empty_like_rows(q);
  const at::Tensor q_rows = rows_in_place(q), k_rows = rows_in_place(k), v_rows = rows_in_place(v);
  run_forward(*call, parameters(*call, q_rows, k_rows, v_rows, out, {}));
  return out;
}

}  // namespace bigdna::model
