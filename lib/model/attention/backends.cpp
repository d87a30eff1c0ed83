#include <array>
#include <mutex>

#include "base/log.h"
#include "base/table.h"
#include "model/attention/fused.h"
#include "model/attention/implementations.h"

namespace bigdna::model {
namespace {

at::Tensor auto_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttentionPlan& plan,
                          const AttentionOptions& options) {
  if (fused_serves(q, plan.causal)) return fused_attention(q, k, v, plan, options);
  static std::once_flag said;
  if (q.is_cuda())
    std::call_once(said, [&] {
      log::warn("LibTorch computes attention (backend gather) on this GPU, because ",
                plan.causal ? "it is causal" : concat("heads have ", q.size(-1), " numbers"),
                ": this is slower, and gradients are not reproducible to the last bit");
    });
  return gather_attention(q, k, v, plan, options);
}

constexpr std::array kBackends{
    BackendRow{"auto", "the fastest that supports the given tensors", auto_attention},
    // fastest first
    BackendRow{"fused", "bigdna's kernels: fp32 and bf16 on CPUs, fp32, bf16 and fp16 on GPUs", fused_attention},
    BackendRow{"gather", "LibTorch operations on gathered key blocks", gather_attention},
    BackendRow{"dense", "an n x n mask in double precision: the reference", dense_attention},
};

}  // namespace

std::span<const BackendRow> backends() { return std::span(kBackends).subspan(1); }

const BackendRow& backend(std::string_view name) { return row_named(kBackends, name, "attention backend"); }

}  // namespace bigdna::model
