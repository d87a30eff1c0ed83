/// The backends' functions: the rows of the table in backends.cpp.
#pragma once

#include "model/attention/backend.h"

namespace bigdna::model {

at::Tensor dense_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttentionPlan& plan,
                           const AttentionOptions& options);
at::Tensor gather_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttentionPlan& plan,
                            const AttentionOptions& options);

}  // namespace bigdna::model
