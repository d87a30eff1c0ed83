/// Performer (Choromanski et al. 2020): random features x' = f(W x / d^(1/4)) / sqrt(M) of queries and
/// keys, whose products stand for the attention weights. relu replaces softmax by another kernel; exp (positive
/// features) and cos estimate softmax. The factor 1 / sqrt(M) divides out. Also `linear`, whose features are elu(x) + 1
/// and not random.
#include <ATen/TensorOperators.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/elu.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <map>
#include <mutex>
#include <numbers>
#include <string>
#include <tuple>

#include "base/rng.h"
#include "model/attention/attentions.h"
#include "model_folder/config.h"

namespace bigdna::model {
namespace {

constexpr double kRelu = 1e-3;  // added to relu's features, so that no token is without weight (google-research)
constexpr double kExp = 1e-6;   // likewise to those of exp
constexpr double kCos = 0.01;   // the least divisor of cos, whose estimates can be negative: this share of sum h(k)

enum Directions : int64_t { gram_schmidt, hadamard, givens, independent };  // words of the setting

double product(const double* a, const double* b, int64_t size) {
  double sum = 0;
  for (int64_t j = 0; j < size; ++j) sum += a[j] * b[j];
  return sum;
}

/// Normal vectors, made orthogonal by Gram and Schmidt. (LAPACK's QR would do if its signs were corrected: as it is, it
/// does not draw evenly, and exp's features are biased.)
void draw_orthogonal(Rng& rng, int64_t rows, int64_t size, double* out) {
  for (int64_t i = 0; i < rows; ++i) {
    double* row = out + i * size;
    for (int64_t j = 0; j < size; ++j) row[j] = rng.normal();
    for (int pass = 0; pass < 2; ++pass)  // the second removes what rounding left
      for (int64_t before = 0; before < i; ++before) {
        const double share = product(row, out + before * size, size);
        for (int64_t j = 0; j < size; ++j) row[j] -= share * out[before * size + j];
      }
    const double norm = std::sqrt(product(row, row, size));
    for (int64_t j = 0; j < size; ++j) row[j] /= norm;
  }
}

/// Rows of H D H D H D / size^(3/2): H Hadamard's matrix, D random signs.
void draw_hadamard(Rng& rng, int64_t rows, int64_t size, double* out) {
  std::vector<double> signs;
  for (int64_t i = 0; i < 3 * size; ++i) signs.push_back(rng.below(2) == 0 ? 1 : -1);
  for (int64_t i = 0; i < rows; ++i) {
    double* row = out + i * size;
    row[i] = 1;
    for (int64_t turn = 0; turn < 3; ++turn) {
      for (int64_t half = 1; half < size; half *= 2)
        for (int64_t j = 0; j < size; ++j)
          if ((j & half) == 0) {
            const double a = row[j], b = row[j + half];
            row[j] = a + b, row[j + half] = a - b;
          }
      for (int64_t j = 0; j < size; ++j) row[j] *= signs[static_cast<size_t>(turn * size + j)] / std::sqrt(size);
    }
  }
}

/// Rows of the identity, turned in `size` log2(size) random planes by random angles.
void draw_givens(Rng& rng, int64_t rows, int64_t size, double* out) {
  for (int64_t i = 0; i < rows; ++i) out[i * size + i] = 1;
  const auto turns = static_cast<int64_t>(std::ceil(static_cast<double>(size) * std::log2(size)));
  for (int64_t turn = 0; turn < turns; ++turn) {
    const auto a = static_cast<int64_t>(rng.below(static_cast<uint64_t>(size)));
    const int64_t b = (a + 1 + static_cast<int64_t>(rng.below(static_cast<uint64_t>(size) - 1))) % size;
    const double angle = 2 * std::numbers::pi * rng.uniform(), c = std::cos(angle), s = std::sin(angle);
    for (int64_t i = 0; i < rows; ++i) {
      double *x = out + i * size + a, *y = out + i * size + b;
      const double before = *x;
      *x = c * before - s * *y, *y = s * before + c * *y;
    }
  }
}

/// Rows of one block with the lengths of normal vectors. `out` is zeros.
void draw_block(Rng& rng, int64_t directions, int64_t rows, int64_t size, double* out) {
  if (directions == independent) {
    for (int64_t i = 0; i < rows * size; ++i) out[i] = rng.normal();
    return;
  }
  std::vector<double> lengths;
  for (int64_t i = 0; i < rows; ++i) {
    double square = 0;
    for (int64_t j = 0; j < size; ++j) square += std::pow(rng.normal(), 2);
    lengths.push_back(std::sqrt(square));
  }
  if (directions == hadamard) draw_hadamard(rng, rows, size, out);
  if (directions == givens) draw_givens(rng, rows, size, out);
  if (directions == gram_schmidt) draw_orthogonal(rng, rows, size, out);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < size; ++j) out[i * size + j] *= lengths[static_cast<size_t>(i)];
}

/// Random numbers of a layer's heads: `stream` tells what for.
Rng rng_of(const AttentionCall& call, int64_t head, uint64_t stream) {
  return Rng(mix({call.config.pattern.seed, static_cast<uint64_t>(call.layer), static_cast<uint64_t>(call.head(head))}),
             stream);
}

at::Tensor draw_features(const AttentionCall& call, int64_t features) {
  const int64_t heads = call.heads(), size = call.q.size(2);
  at::Tensor all = at::zeros({heads, features, size}, at::kDouble);
  for (int64_t head = 0; head < heads; ++head) {
    Rng rng = rng_of(call, head, 31);
    for (int64_t row = 0; row < features; row += size)
      draw_block(rng, call.whole("directions"), std::min(size, features - row), size,
                 all.mutable_data_ptr<double>() + (head * features + row) * size);
  }
  return all;
}

}  // namespace

at::Tensor orthogonal_features(const AttentionCall& call, int64_t features) {
  using Key = std::tuple<int64_t, uint64_t, int64_t, int64_t, int64_t, int64_t, int64_t, std::string>;
  static std::mutex mutex;
  static std::map<Key, at::Tensor> drawn;
  const Key key{call.whole("directions"),
                call.config.pattern.seed,
                call.layer,
                call.head(0),
                call.heads(),
                call.q.size(2),
                features,
                call.q.device().str()};
  const std::lock_guard lock(mutex);
  constexpr size_t kMost = 1000;  // layers of different models in one process
  if (drawn.size() > kMost) drawn.clear();
  at::Tensor& found = drawn[key];
  if (!found.defined()) found = draw_features(call, features).to(call.q.device());
  return found;
}

at::Tensor feature_phases(const AttentionCall& call, int64_t features) {
  at::Tensor all = at::empty({call.heads(), 1, features}, at::kDouble);
  for (int64_t head = 0; head < call.heads(); ++head) {
    Rng rng = rng_of(call, head, 32);
    for (int64_t i = 0; i < features; ++i)
      all.mutable_data_ptr<double>()[head * features + i] = 2 * std::numbers::pi * rng.uniform();
  }
  return all;
}

at::Tensor performer_attention(const AttentionCall& call) {
  enum Kernel { relu, exp, cos };  // the words of the setting
  const int64_t features = call.whole("features");
  const double scale = std::pow(static_cast<double>(call.q.size(2)), -0.25);
  const at::Tensor weights = call.for_all(orthogonal_features(call, features).to(call.q.scalar_type())).transpose(1, 2);
  const at::Tensor q = call.q * scale, k = call.k * scale;
  const at::Tensor of_q = at::bmm(q, weights), of_k = at::bmm(k, weights);
  const at::Tensor half_k = k.square().sum(2, true) / 2;  // half the square of each key's length
  switch (static_cast<Kernel>(call.whole("kernel"))) {
    case relu:
      break;
    case exp: {  // exp(w x - |x|^2 / 2); the greatest exponents are subtracted; but for kExp that divides out
      const at::Tensor keys = of_k - half_k;
      const auto positive = [](const at::Tensor& x, at::IntArrayRef over) {
        return at::exp(x - at::amax(x, over, true)) + kExp;
      };
      return kernel_attention(positive(of_q, {2}), positive(keys, {1, 2}), call.v);
    }
    case cos: {  // g(q) = exp(|q|^2 / 2) divides out; h(k) = exp(|k|^2 / 2)
      const at::Tensor phases = call.for_all(feature_phases(call, features).to(call.q.options()));
      const at::Tensor h = at::exp(half_k - at::amax(half_k.detach(), {1, 2}, true));
      const auto waves = [&](const at::Tensor& x) {
        return at::cos(x + phases) * std::sqrt(2 / static_cast<double>(features));
      };
      return kernel_attention(waves(of_q), waves(of_k) * h, call.v, h.sum(1, true) * kCos);
    }
  }
  return kernel_attention(at::relu(of_q) + kRelu, at::relu(of_k) + kRelu, call.v);
}

at::Tensor linear_attention(const AttentionCall& call) {
  return kernel_attention(at::elu(call.q) + 1, at::elu(call.k) + 1, call.v);
}

}  // namespace bigdna::model
