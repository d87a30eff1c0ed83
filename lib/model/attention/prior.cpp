/// Attention with a prior (Lin et al. 2022, section 4.5), in the form of Press et al. 2022 (ALiBi) with learned slopes:
/// each token of distance takes the head's slope from the score. Keys whose scores fall by more than kMost are not
/// read.
#include <ATen/TensorOperators.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>

#include "model/attention/attentions.h"
#include "model/attention/local_windows.h"
#include "model_folder/attention_limits.h"

namespace bigdna::model {

at::Tensor prior_attention(const AttentionCall& call) {
  std::vector<double> fixed;
  for (int64_t head = 0; head < call.heads(); ++head)
    fixed.push_back(
        std::exp2(-call.setting("slowest") * static_cast<double>(head + 1) / static_cast<double>(call.heads())));
  const at::Tensor of_heads = at::tensor(fixed, call.q.options().requires_grad(false)) * at::exp(call.own("slope"));
  const at::Tensor slopes = call.for_all(of_heads).view({-1, 1, 1, 1});
  constexpr double kMost = model_folder::kPriorReach;
  const double reach = std::ceil(kMost / of_heads.detach().amin().item<double>());
  const LocalWindows local(call.tokens(), static_cast<int64_t>(std::min(reach, static_cast<double>(call.tokens()))),
                           call.q);
  const at::Tensor q = local.blocks_of(call.q) / std::sqrt(call.q.size(2)), prior = slopes * local.offsets().abs();
  const at::Tensor scores = at::matmul(q, local.windows_of(call.k).transpose(2, 3)) - prior;
  return local.attend(scores, local.hidden(prior.detach().gt(kMost), call.config.pattern.causal), call.v);
}

}  // namespace bigdna::model
