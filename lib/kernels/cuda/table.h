/// What the CUDA plug-in (libbigdna_cuda.so) exports: one table of plain functions. The plug-in links none of
/// our libraries, so that no static exists twice; these structs are all both sides share.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/attention.h"
#include "kernels/rows.h"

namespace bigdna::kernels {

/// Raised with every change of this file or of attention.h's and rows.h's structs; the loader refuses another one.
constexpr uint32_t kCudaTableVersion = 5;
constexpr int64_t kCudaHeadSize = 128;  // the widest

/// What one thread block of the tensor-core kernels does: `rows` neighbouring query (or key) rows of one head, against
/// list entries [begin, end) of the layout's columns (of the transpose's rows).
struct WorkItem {
  int32_t head, tile;  // b * heads + h; the rows begin at tile * rows
  int32_t begin, end;
  int32_t slot;  // where it leaves its part of a list that was cut; -1: it has the whole list
};
/// Rows whose list was cut: their parts are in slots [slot, slot + parts).
struct CutRows {
  int32_t head, tile, slot, parts;
};
/// All thread blocks of a walk (kernels/cuda_work.h makes them on the CPU), seen through device pointers.
struct Work {
  const WorkItem* items = nullptr;
  const CutRows* cuts = nullptr;
  int64_t item_count = 0, cut_count = 0, slots = 0;
  int32_t rows = 0;
};

/// Functions return a cudaError_t as int, 0 for success. `stream` is a cudaStream_t. In AttentionForward and
/// AttentionBackward all pointers, `lengths`, `layouts` and those inside LayoutView too, are device memory;
/// `threads` and `parallel` are not used. head_size is at most kCudaHeadSize. Work without items: the simple kernels,
/// which take any block and type; with them: tensor cores (cuda_work.h says for what).
struct CudaTable {
  uint32_t version;
  const char* built_for;  // e.g. "80-real 90a-real"
  const char* (*error_text)(int error);
  int (*device_count)(int* count);
  /// Fills `name` (at most `size` bytes with its end) and the compute capability, e.g. 9, 0.
  int (*describe_device)(int device, char* name, int size, int* major, int* minor);
  /// 0 where this plug-in carries code for that device.
  int (*check_device)(int device);
  /// What cudaDriverGetVersion and cudaRuntimeGetVersion say: 13000 is CUDA 13.0.
  int (*versions)(int* driver, int* runtime);
  /// `parts`: forward_parts() floats of device memory for the kernels' own use.
  int (*attention_forward)(const AttentionForward* parameters, const Work* rows, float* parts, void* stream);
  /// `dots`: [batch, heads, n] floats of device memory, and `parts` backward_parts().
  int (*attention_backward)(const AttentionBackward* parameters, const Work* rows, const Work* columns, float* dots,
                            float* parts, void* stream);
  /// kernels/rows.h on the device, for shapes that fit (below); `threads` and `parallel` are not used.
  int (*residual_norm)(const ResidualNorm* parameters, void* stream);
  /// `parts`: row_parts() floats of device memory, of 3 sums here and of 1 below.
  int (*residual_norm_backward)(const ResidualNormBackward* parameters, float* parts, void* stream);
  int (*bias_gelu)(const Rows* shape, const void* x, const float* bias, void* out, void* stream);
  int (*bias_gelu_backward)(const Rows* shape, const void* x, const float* bias, const void* grad_out, void* grad_x,
                            float* grad_bias, float* parts, void* stream);
};

inline int64_t forward_parts(const Work& rows, int64_t head_size) { return rows.slots * rows.rows * (head_size + 1); }
inline int64_t backward_parts(const Work& rows, const Work& columns, int64_t head_size) {
  const int64_t queries = rows.slots * rows.rows * head_size, keys = 2 * columns.slots * columns.rows * head_size;
  return queries > keys ? queries : keys;
}

/// Whether blocks of whole 64 are multiplied by wgmma on a device of that compute capability.
inline bool has_wgmma(const char* built_for, int major, int minor) {
  return std::strstr(built_for, "90a") && major == 9 && minor == 0;
}

/// All pointers are to be aligned to 16 bytes.
inline bool bias_gelu_fits(const Rows& shape) {
  return shape.rows > 0 && shape.columns > 0 && shape.columns % 8 == 0 && shape.columns < 1 << 20;
}
inline bool residual_norm_fits(const Rows& shape) { return bias_gelu_fits(shape) && shape.columns <= 1024; }
/// Strips of rows whose column sums are made apart.
inline int row_strips(const Rows& shape) {
  const int64_t strips = (shape.rows + 31) / 32;
  return static_cast<int>(strips < 1024 ? strips : 1024);
}
inline int64_t row_parts(const Rows& shape, int64_t sums) { return row_strips(shape) * sums * shape.columns; }

/// The plug-in's one exported symbol, extern "C": const CudaTable* bigdna_cuda_open().
using CudaOpen = const CudaTable* (*)();
constexpr const char* kCudaOpenSymbol = "bigdna_cuda_open";

}  // namespace bigdna::kernels
