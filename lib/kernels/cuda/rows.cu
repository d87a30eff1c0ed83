#include "kernels/cuda/rows.cuh"

#include "kernels/cuda/launch.h"

namespace bigdna::kernels {

int cuda_residual_norm(const ResidualNorm* p, void* stream) {
  if (!residual_norm_fits(p->shape)) return cudaErrorInvalidValue;
  return by_type_and_columns(p->shape, [&](auto type, auto chunks) {
    return residual_norm_pass<decltype(type), decltype(chunks)::value>(*p, Launch{static_cast<cudaStream_t>(stream)});
  });
}
int cuda_residual_norm_backward(const ResidualNormBackward* b, float* parts, void* stream) {
  if (!residual_norm_fits(b->forward.shape)) return cudaErrorInvalidValue;
  return by_type_and_columns(b->forward.shape, [&](auto type, auto chunks) {
    return residual_norm_backward_pass<decltype(type), decltype(chunks)::value>(
        *b, parts, Launch{static_cast<cudaStream_t>(stream)});
  });
}
int cuda_bias_gelu(const Rows* shape, const void* x, const float* bias, void* out, void* stream) {
  if (!bias_gelu_fits(*shape)) return cudaErrorInvalidValue;
  return by_type(shape->precision, [&](auto type) {
    return bias_gelu_pass<decltype(type)>(*shape, x, bias, out, Launch{static_cast<cudaStream_t>(stream)});
  });
}
int cuda_bias_gelu_backward(const Rows* shape, const void* x, const float* bias, const void* grad_out, void* grad_x,
                            float* grad_bias, float* parts, void* stream) {
  if (!bias_gelu_fits(*shape)) return cudaErrorInvalidValue;
  return by_type(shape->precision, [&](auto type) {
    return bias_gelu_backward_pass<decltype(type)>(*shape, x, bias, grad_out, grad_x, grad_bias, parts,
                                                   Launch{static_cast<cudaStream_t>(stream)});
  });
}

}  // namespace bigdna::kernels
