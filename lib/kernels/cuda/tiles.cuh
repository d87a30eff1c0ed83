// What the tensor-core kernels share: a thread block's rows, the tiles it walks over, and their products.
//
// A thread block serves one WorkItem: 16 rows for each of its warps, all of one block of the layout, and a stretch of
// that block's list. It walks over the other side in tiles of N rows; a tile is made of granules of 16 rows, each from
// any block of the list, so small blocks fill a tile too. Two tiles are in shared memory, one used, one arriving.
#pragma once

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/random.cuh"
#include "kernels/cuda/table.h"
#include "kernels/cuda/wgmma.cuh"

namespace bigdna::kernels {
namespace {

constexpr int kGranule = 16;
constexpr int kNowhere = 1 << 30;  // start of a missing granule: past every sequence
constexpr float kLog2e = 1.4426950408889634f;

/// What multiplies: each warp for itself (mma.sync), or the four of a thread block of 64 rows together (wgmma).
enum class Unit { warp, warpgroup };

/// Tiles of rows of D 16-bit values in shared memory. 16-byte chunks are permuted within their row so that the eight
/// rows an ldmatrix reads at one time lie in different banks. For wgmma, which knows rows of at most 128 bytes permuted
/// so, rows of 128 values are two panels, eight rows of one after eight rows of the other.
template <int D, Unit kUnit>
struct Tile {
  static constexpr int kChunks = D / 8, kBytes = D * 2;  // of a row
  static constexpr int kPanels = kUnit == Unit::warpgroup && D == 128 ? 2 : 1;
  static constexpr int kPanelChunks = kChunks / kPanels, kPanelBytes = kBytes / kPanels;  // of a row of a panel

  __device__ static uint32_t at(uint32_t tile, int row, int chunk) {
    const int permuted = chunk % kPanelChunks ^ (D == 32 ? row / 2 % 4 : row % 8);
    return tile + static_cast<uint32_t>((row / 8 * kPanels + chunk / kPanelChunks) * 8 * kPanelBytes +
                                        row % 8 * kPanelBytes + permuted * 16);
  }
  __device__ static uint64_t descriptor(uint32_t tile, int inside) {
    return matrix_descriptor(tile, static_cast<uint32_t>(inside), 8 * kPanelBytes, 8 * kBytes, kPanelBytes);
  }
  /// For wgmma, columns 16k ... 16k+15 of the tile (A; B if transposed), and rows 16k ... 16k+15 of it (B).
  __device__ static uint64_t columns(uint32_t tile, int k) {
    constexpr int kSteps = kPanelChunks / 2;
    return descriptor(tile, k / kSteps * 8 * kPanelBytes + k % kSteps * 32);
  }
  __device__ static uint64_t rows(uint32_t tile, int k) { return descriptor(tile, k * 16 * kBytes); }
};

/// Shared memory of a thread block of `rows` rows, in bytes from its start: `row_tiles` tiles of them, then two stages.
template <int D, int N>
struct Plan {
  static constexpr uint32_t kRowBytes = D * 2, kTileBytes = N * kRowBytes;
  static constexpr uint32_t kAlignment = 1024;  // of tiles, for wgmma
  // a stage: two tiles, two floats a row (log-sum-exp and dots), a dropout bit for each pair, where granules begin
  static constexpr uint32_t kNumbers = 2 * kTileBytes, kMask = kNumbers + 2 * N * 4, kStarts = kMask + 64 * N / 8,
                            kStageBytes = (kStarts + N / kGranule * 4 + kAlignment - 1) / kAlignment * kAlignment;
  __host__ __device__ static constexpr uint32_t bytes(int row_tiles, int rows) {
    return static_cast<uint32_t>(row_tiles * rows) * kRowBytes + 2 * kStageBytes;
  }
};

/// kKeyRows: the rows are keys and the tiles queries (grad_k and grad_v); else the other way round.
template <class T, int D, int N, bool kKeyRows, Unit kUnit>
struct Walk {
  using Memory = Plan<D, N>;
  using Place = Tile<D, kUnit>;
  const AttentionForward& p;
  const WorkItem item;
  const int lane, warp, warps;
  const int64_t b, h;
  const int length, first_row;
  const int32_t* list;
  const int granules_per_block, tiles;
  const uint32_t reciprocal;         // for quotients by granules_per_block; 0 if that is 1
  const uint32_t threshold, stages;  // of dropout; where the stages begin

  __device__ Walk(const AttentionForward& p_, const WorkItem& item_, int row_tiles)
      : p(p_),
        item(item_),
        lane(threadIdx.x % 32),
        warp(threadIdx.x / 32),
        warps(blockDim.x / 32),
        b(item.head / p.heads),
        h(item.head % p.heads),
        length(static_cast<int>(p.lengths[b])),
        first_row(item.tile * warps * kGranule),
        list(kKeyRows ? p.layouts[item.head].rows : p.layouts[item.head].columns),
        granules_per_block(static_cast<int>(p.block) / kGranule),
        tiles(((item.end - item.begin) * granules_per_block * kGranule + N - 1) / N),
        reciprocal(granules_per_block > 1 ? 0xFFFFFFFFu / static_cast<uint32_t>(granules_per_block) + 1 : 0),
        threshold(threshold_of(p)),
        stages(static_cast<uint32_t>(row_tiles * warps * kGranule * Place::kBytes)) {}

  __device__ uint32_t row_tile(int i) const { return static_cast<uint32_t>(i * warps * kGranule * Place::kBytes); }
  __device__ uint32_t stage(int t) const { return stages + t % 2 * Memory::kStageBytes; }
  /// The row, in the sequence, of this thread's accumulators [0], [1] (half 0) and [2], [3] (half 1).
  __device__ int row(int half) const { return first_row + warp * kGranule + half * 8 + lane / 4; }

  template <class X>
  __device__ X* start_of(const Strided<X>& x, int64_t at_row) const {
    using Element = std::conditional_t<std::is_const_v<X>, const uint16_t, uint16_t>;
    return static_cast<Element*>(x.data) + b * x.batch_stride + h * x.head_stride + at_row * x.row_stride;
  }

  /// This head's rows of a tensor, for load_granule(): a place in one is then a single multiplication.
  struct Source {
    const uint16_t* head;
    uint32_t row_stride;
  };
  __device__ Source source(const Strided<const void>& x) const {
    return {static_cast<const uint16_t*>(start_of(x, 0)), static_cast<uint32_t>(x.row_stride)};
  }
  /// 16 rows beginning at row `first` to rows `to` ... of a tile; rows past the length as zeros. A lane copies the same
  /// chunk of every kAtOnce-th row. (Half of all instructions were this function's when each copy worked out its place
  /// by itself.)
  __device__ void load_granule(const Source& x, uint32_t tile, int to, int first) const {
    constexpr int kAtOnce = 32 / Place::kChunks;
    const int r = lane / Place::kChunks, chunk = lane % Place::kChunks;
    const int real = length - first - r;  // of the lane's rows; the others are not read
    const uint16_t* from = x.head + uint64_t{static_cast<uint32_t>(first + r)} * x.row_stride + chunk * 8;
    BIGDNA_UNROLL_BY(D == 128 ? 2 : 4)  // all eight of 128 values would keep more registers than there are
        for (int i = 0; i < kGranule; i += kAtOnce, from += kAtOnce * x.row_stride)
            copy16(Place::at(tile + static_cast<uint32_t>(to * Place::kBytes), i + r, chunk), from, i < real);
  }
  /// This warp's own rows.
  __device__ void load_rows(const Strided<const void>& x, int i) const {
    load_granule(source(x), row_tile(i), warp * kGranule, first_row + warp * kGranule);
  }

  /// Tile t of the walk from two tensors, with its dropout mask; each warp brings its share.
  __device__ void load_tile(int t, const Source& x, const Source& y) const {
    const uint32_t at = stage(t);
    for (int g = warp; g < N / kGranule; g += warps) {
      const int granule = t * (N / kGranule) + g,
                block = reciprocal ? static_cast<int>(__umulhi(static_cast<uint32_t>(granule), reciprocal)) : granule,
                entry = item.begin + block;
      const int start =
          entry < item.end ? list[entry] * static_cast<int>(p.block) + (granule - block * granules_per_block) * kGranule
                           : kNowhere;
      if (lane == 0) shared_at<int>(at + Memory::kStarts)[g] = start;
      load_granule(x, at, g * kGranule, start);
      load_granule(y, at + Memory::kTileBytes, g * kGranule, start);
      if (threshold) draw_dropout(at + Memory::kMask, g, start);
    }
  }
  /// Waits for the tile that is arriving; all are done with the one before.
  __device__ void next_tile() const {
    wait_for_copies();
    if constexpr (kUnit == Unit::warpgroup) fence_copies();
    __syncthreads();
  }
  /// log-sum-exp and dots of tile t's queries.
  __device__ void load_numbers(int t, const float* dots) const {
    const uint32_t at = stage(t) + Memory::kNumbers;
    for (int g = warp; g < N / kGranule; g += warps) {
      __syncwarp();
      const int query = shared_at<int>(stage(t) + Memory::kStarts)[g] + lane % 16;
      const float* from = (lane < 16 ? p.log_sum_exp : dots) + item.head * p.n;
      const bool real = query < length;
      copy4(at + static_cast<uint32_t>((lane / 16 * N + g * kGranule + lane % 16) * 4), from + (real ? query : 0),
            real);
    }
  }

  /// One bit a pair, eight neighbouring keys to a byte: bytes [query][key / 8], with keys as rows [key / 8][query].
  __device__ void draw_dropout(uint32_t mask, int g, int start) const {
    const int count = warps * kGranule * kGranule / 8;
    for (int i = lane; i < count; i += 32) {
      const int query = kKeyRows ? start + i % kGranule : first_row + i / 2;
      const int keys = kKeyRows ? first_row + i / kGranule * 8 : start + i % 2 * 8;
      const int at = kKeyRows ? i / kGranule * N + g * kGranule + i % kGranule : i / 2 * (N / 8) + g * 2 + i % 2;
      shared_at<uint8_t>(mask)[at] = DropoutWords(p.dropout_seed, item.head, query, keys / 8).kept(threshold);
    }
  }
  /// Dropout of tile t: what is kept times `factor`, the rest 0.
  __device__ void drop(float (&s)[N / 8][4], int t, float factor) const {
    if (!threshold) return;
    const uint8_t* mask = shared_at<uint8_t>(stage(t) + Memory::kMask);
    BIGDNA_UNROLL
    for (int j = 0; j < N / 8; ++j) BIGDNA_UNROLL
    for (int e = 0; e < 4; ++e) {
      const int column = j * 8 + lane % 4 * 2 + e % 2;
      const int kept = kKeyRows ? mask[(warp * 2 + e / 2) * N + column] >> (lane / 4)
                                : mask[(warp * kGranule + e / 2 * 8 + lane / 4) * (N / 8) + j] >> (column % 8);
      s[j][e] = kept & 1 ? s[j][e] * factor : 0;
    }
  }

  /// Sets the columns that are not real rows of the sequence to `value`.
  __device__ void hide(float (&s)[N / 8][4], int t, float value) const {
    const int* starts = shared_at<int>(stage(t) + Memory::kStarts);
    bool whole = true;
    BIGDNA_UNROLL
    for (int g = 0; g < N / kGranule; ++g) whole = whole && starts[g] + kGranule <= length;
    if (whole) return;
    BIGDNA_UNROLL
    for (int j = 0; j < N / 8; ++j) BIGDNA_UNROLL
    for (int e = 0; e < 4; ++e)
      if (starts[j / 2] + j % 2 * 8 + lane % 4 * 2 + e % 2 >= length) s[j][e] = value;
  }

  /// s = this warp's rows of row tile i times a tile, transposed: s[j] is its rows against the tile's rows 8j ... 8j+7.
  __device__ void product(float (&s)[N / 8][4], int i, uint32_t tile) const {
    if constexpr (kUnit == Unit::warpgroup) {
      wgmma_begin(s);
      BIGDNA_UNROLL
      for (int k = 0; k < D / 16; ++k)
        wgmma<T, N, 0>(s, Place::columns(row_tile(i), k), Place::columns(tile, k), k > 0);
      wgmma_end(s);
    } else {
      BIGDNA_UNROLL
      for (int j = 0; j < N / 8; ++j) BIGDNA_UNROLL
      for (int e = 0; e < 4; ++e) s[j][e] = 0;
      BIGDNA_UNROLL
      for (int k = 0; k < D / 16; ++k) {
        uint32_t a[4], two[4];
        ldmatrix(a, Place::at(row_tile(i), warp * kGranule + lane % 16, k * 2 + lane / 16));
        BIGDNA_UNROLL
        for (int j = 0; j < N / 16; ++j) {
          ldmatrix(two, Place::at(tile, j * 16 + lane / 16 * 8 + lane % 8, k * 2 + lane / 8 % 2));
          mma<T>(s[j * 2], a, two[0], two[1]);
          mma<T>(s[j * 2 + 1], a, two[2], two[3]);
        }
      }
    }
  }
  /// sum += s (rounded to T) times a tile: sum[d] is this warp's rows, columns 8d ... 8d+7.
  __device__ void accumulate(float (&sum)[D / 8][4], const float (&s)[N / 8][4], uint32_t tile) const {
    const auto pack_columns = [&](uint32_t(&a)[4], int k) {  // 16k ... 16k+15 of s
      BIGDNA_UNROLL
      for (int i = 0; i < 4; ++i) a[i] = pack<T>(s[k * 2 + i / 2][i % 2 * 2], s[k * 2 + i / 2][i % 2 * 2 + 1]);
    };
    if constexpr (kUnit == Unit::warpgroup) {
      uint32_t a[N / 16][4];
      BIGDNA_UNROLL
      for (int k = 0; k < N / 16; ++k) pack_columns(a[k], k);
      wgmma_begin(sum, a);
      BIGDNA_UNROLL
      for (int k = 0; k < N / 16; ++k) wgmma<T, D, 1>(sum, a[k], Place::rows(tile, k), 1);
      wgmma_end(sum);
    } else {
      BIGDNA_UNROLL
      for (int k = 0; k < N / 16; ++k) {
        uint32_t a[4], two[4];
        pack_columns(a, k);
        BIGDNA_UNROLL
        for (int d = 0; d < D / 16; ++d) {
          ldmatrix_transposed(two, Place::at(tile, k * 16 + lane % 16, d * 2 + lane / 16));
          mma<T>(sum[d * 2], a, two[0], two[1]);
          mma<T>(sum[d * 2 + 1], a, two[2], two[3]);
        }
      }
    }
  }

  /// The last tile is done with, and so are the row tiles.
  __device__ void finish() const {
    wait_for_copies();
    if constexpr (kUnit == Unit::warpgroup) __syncthreads();
  }
  /// Writes this warp's rows of x times `factor`, by way of row tile i (free by now); rows past the length as zeros.
  __device__ void store(const Strided<void>& x, int i, const float (&sum)[D / 8][4], float factor0,
                        float factor1) const {
    __syncwarp();
    BIGDNA_UNROLL
    for (int half = 0; half < 2; ++half) {
      const float factor = half ? factor1 : factor0;
      const bool real = row(half) < length;
      BIGDNA_UNROLL
      for (int d = 0; d < D / 8; ++d) {
        const uint32_t at = Place::at(row_tile(i), warp * kGranule + half * 8 + lane / 4, d) + lane % 4 * 4;
        *shared_at<uint32_t>(at) = real ? pack<T>(sum[d][half * 2] * factor, sum[d][half * 2 + 1] * factor) : 0;
      }
    }
    __syncwarp();
    BIGDNA_UNROLL
    for (int k = 0; k < kGranule * Place::kChunks / 32; ++k) {
      const int r = (k * 32 + lane) / Place::kChunks, chunk = (k * 32 + lane) % Place::kChunks;
      const int64_t at_row = first_row + warp * kGranule + r;
      if (at_row < p.n)
        *reinterpret_cast<uint4*>(static_cast<uint16_t*>(start_of(x, at_row)) + chunk * 8) =
            *shared_at<uint4>(Place::at(row_tile(i), warp * kGranule + r, chunk));
    }
  }
  /// The same to a slot of partial results: [slot][row][D] floats.
  __device__ void store_part(float* parts, const float (&sum)[D / 8][4], float factor0, float factor1) const {
    float* to =
        parts + (static_cast<int64_t>(item.slot) * warps * kGranule + warp * kGranule + lane / 4) * D + lane % 4 * 2;
    BIGDNA_UNROLL
    for (int d = 0; d < D / 8; ++d) {
      *reinterpret_cast<float2*>(to + d * 8) = {sum[d][0] * factor0, sum[d][1] * factor0};
      *reinterpret_cast<float2*>(to + 8 * D + d * 8) = {sum[d][2] * factor1, sum[d][3] * factor1};
    }
  }
};

}  // namespace
}  // namespace bigdna::kernels
