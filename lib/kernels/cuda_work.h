/// The thread blocks of the tensor-core kernels, planned on the CPU from each layout's lists. Long lists are cut, so
/// that no thread block runs much longer than the others, and come first. A pure function of the arguments, not of the
/// device.
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

/// Whether the tensor-core kernels support these parameters: bf16 or fp16, head sizes 32, 64 and 128, block sizes from
/// 16 to 128 that are multiples of 16, and every row of the tensors (also the backward's) aligned to 16 bytes.
bool tensor_cores_serve(const AttentionForward& p);
bool tensor_cores_serve(const AttentionBackward& b);

/// Rows a thread block holds: 16 a warp, as many warps (1 to 4) as cut a block evenly.
int32_t tensor_rows(int64_t block);

/// The work for the layouts' rows, or columns. Reads batch, heads, n, block and, in CPU memory, lengths and layouts of
/// `p`.
WorkLists plan_rows(const AttentionForward& p);
WorkLists plan_columns(const AttentionForward& p);

}  // namespace bigdna::kernels
