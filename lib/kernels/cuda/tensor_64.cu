#include "kernels/cuda/tensor_launch.cuh"

BIGDNA_TENSOR_HEAD(64)
