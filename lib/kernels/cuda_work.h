/// The thread blocks of the tensor-core kernels, planned on the CPU: each layout's lists, long ones cut so that no
/// thread block outlasts the others, long ones first. A pure function of its arguments, not of the device.
#pragma once

#include <vector>

#include "kernels/cuda/table.h"

namespace bigdna::kernels {

struct WorkLists {
  std::vector<WorkItem> items;
  std::vector<CutRows> cuts;
  int64_t slots = 0;
  int32_t rows = 0;
};

/// Whether the tensor-core kernels serve these: bf16 or fp16, head sizes 32, 64 and 128, blocks of 16 to 128 tokens in
/// whole 16s, every row of the tensors aligned to 16 bytes. (The backward's tensors must be as well.)
bool tensor_cores_serve(const AttentionForward& p);
bool tensor_cores_serve(const AttentionBackward& b);

/// Rows a thread block holds: 16 a warp, as many warps (1 to 4) as cut a block evenly.
int32_t tensor_rows(int64_t block);

/// Of the layouts' rows, or columns. Of `p`, batch, heads, n, block and, in CPU memory, lengths and layouts are read.
WorkLists plan_rows(const AttentionForward& p);
WorkLists plan_columns(const AttentionForward& p);

}  // namespace bigdna::kernels
